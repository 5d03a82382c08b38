import type { ServerResponse } from 'node:http'
import type { HostedCluster } from './cluster-host.js'
import { followLogs, type LogQuery } from './read-logs.js'
import { wholeNumber } from './read-objects.js'
import { renderBookmark, renderObject, type Form } from './render.js'
import type { ResourcePath } from '../schema/resource-path.js'
import { StreamResponse } from './stream-response.js'
import { watchObjects, type WatchEvent } from './watch-objects.js'

const BOOKMARK_MS = 30_000
const MAX_WATCH_SECONDS = 3_600

/**
 * Answers a watch: one JSON document per line until the client goes, its time is over or the cluster ends. Each line
 * carries the virtual time in `at`, which a client could not know otherwise; Kubernetes has no such field, and clients
 * pass over it.
 */
export function serveWatch(
  cluster: HostedCluster,
  request: { path: ResourcePath; query: URLSearchParams; form: Form },
  response: ServerResponse,
): void {
  const { path, query, form } = request
  const { store, kernel } = cluster.engine
  const watch = watchObjects(store, path, query)
  const line = ({ type, object }: WatchEvent): string => {
    const rendering = { form, now: kernel.now, includeObject: query.get('includeObject') ?? 'Metadata' }
    const render = type === 'BOOKMARK' ? renderBookmark : renderObject
    return `${JSON.stringify({ type, object: render(path.definition, object, rendering), at: kernel.now })}\n`
  }
  const seconds = Math.min(wholeNumber(query, 'timeoutSeconds') || MAX_WATCH_SECONDS, MAX_WATCH_SECONDS)
  keepOpen(cluster, response, 'application/json', (stream) => {
    for (const event of watch.initial) stream.write(line(event))
    const unfollow = watch.follow((event) => stream.write(line(event)))
    const bookmarks = query.get('allowWatchBookmarks') === 'true'
    const beat = setInterval(() => bookmarks && stream.write(line(watch.bookmark())), BOOKMARK_MS)
    const deadline = setTimeout(() => {
      if (bookmarks) stream.write(line(watch.bookmark()))
      stream.end()
    }, seconds * 1000)
    return () => {
      unfollow()
      clearInterval(beat)
      clearTimeout(deadline)
    }
  })
}

/** Answers a log that is followed: what is there, then every later line until the pod is gone. */
export function serveLog(
  cluster: HostedCluster,
  request: { query: LogQuery; text: string },
  response: ServerResponse,
): void {
  const { namespace, pod } = request.query
  const { store } = cluster.engine
  keepOpen(cluster, response, 'text/plain', (stream) => {
    stream.write(request.text)
    const unfollow = followLogs(cluster.engine, request.query, (text) => stream.write(text))
    const unsubscribe = store.observe('pods', ({ type, object }) => {
      const { phase } = (object.status ?? {}) as { phase?: string }
      const over = type === 'DELETED' || phase === 'Succeeded' || phase === 'Failed'
      if (over && object.metadata.name === pod && object.metadata.namespace === namespace) stream.end()
    })
    return () => {
      unfollow()
      unsubscribe()
    }
  })
}

function keepOpen(
  cluster: HostedCluster,
  response: ServerResponse,
  contentType: string,
  start: (stream: StreamResponse) => () => void,
): void {
  let stop: () => void = () => undefined
  const forget = cluster.addStream(() => response.end())
  response.once('close', () => {
    stop()
    forget()
  })
  stop = start(new StreamResponse(response, contentType))
}
