import { createApi } from './api.js'
import { createObjects } from './objects.js'
import { createPaths } from './paths.js'

const pods = { resources: [{ kind: 'Pod', name: 'pods', namespaced: true }] }

function logOf(text: string): Promise<string> {
  const asked = async ({ path }: { path: string }) => ({
    status: 200,
    text: path === '/api/v1' ? JSON.stringify(pods) : text,
  })
  const api = createApi(asked, [])
  return createObjects(api, createPaths(api)).log({ namespace: 'box', name: 'front' }, { previous: true })
}

describe('log', () => {
  it('gives what a container wrote', async () => {
    expect(await logOf('one\ntwo\n')).toBe('one\ntwo\n')
  })
  it('does not take a removed log for what a container wrote', async () => {
    const words = 'unable to retrieve container logs for containerd://678b'
    await expect(logOf(words)).rejects.toMatchObject({ status: 404, message: words })
  })
})
