import { InputError } from '@ordeal/shared'
import { valueAt } from './json-pointer.js'
import { type JsonMap, mapsAt } from './kubernetes-object.js'
import { placeOf, type SkaffoldConfig } from './skaffold-config.js'

/** What decides over the manifests, and would run programs or ask elsewhere; each with the reason why it is refused. */
const REFUSED: readonly (readonly [path: readonly string[], reason: string])[] = [
  [['manifests', 'kpt'], 'kpt packages are rendered by a program, which is not run'],
  [['deploy', 'kpt'], 'kpt packages are rendered by a program, which is not run'],
  [['manifests', 'transform'], 'kpt functions that change manifests are programs, which are not run'],
  [['manifests', 'validate'], 'kpt functions that judge manifests are programs, which are not run'],
  [['manifests', 'hooks'], 'hooks run programs before or after rendering, which is refused'],
  [['deploy', 'kubectl', 'hooks'], 'hooks run programs before or after deploying, which is refused'],
  [['deploy', 'helm', 'hooks'], 'hooks run programs before or after deploying, which is refused'],
  [['deploy', 'kustomize', 'hooks'], 'hooks run programs before or after deploying, which is refused'],
  [['manifests', 'remoteManifests'], 'manifests that are read from a running cluster are not fetched'],
  [['deploy', 'kubectl', 'remoteManifests'], 'manifests that are read from a running cluster are not fetched'],
  [['deploy', 'docker'], 'the project is deployed to Docker, not to Kubernetes'],
  [['deploy', 'cloudrun'], 'the project is deployed to Cloud Run, not to Kubernetes'],
]

const REMEDY = 'Leave it out, in a profile maybe, or give what `skaffold render` makes of the project'

/** Throws InputError with the place and the reason for a config that deploys by means which are not had here. */
export function refuseOtherMeans(config: SkaffoldConfig, value: JsonMap): void {
  for (const [path, reason] of REFUSED) {
    const found = valueAt(value, path)
    const isEmpty = found === undefined || found === null || (Array.isArray(found) && !found.length)
    if (!isEmpty) throw new InputError(reason, placeOf(config, path), REMEDY)
  }
  refuseReleaseHooks(config, value)
}

function refuseReleaseHooks(config: SkaffoldConfig, value: JsonMap): void {
  for (const section of ['manifests', 'deploy']) {
    mapsAt(valueAt(value, [section, 'helm']), 'releases').forEach((release, index) => {
      if (!release.hooks) return
      const place = placeOf(config, [section, 'helm', 'releases', String(index), 'hooks'])
      throw new InputError('hooks run programs before or after deploying, which is refused', place, REMEDY)
    })
  }
}
