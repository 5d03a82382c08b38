import { collectionPath, parseResourcePath } from './resource-path.js'

describe('parseResourcePath', () => {
  it.each([
    ['/api/v1/pods', ['pods', null, null, null]],
    ['/api/v1/namespaces', ['namespaces', null, null, null]],
    ['/api/v1/namespaces/x', ['namespaces', null, 'x', null]],
    ['/api/v1/namespaces/x/status', ['namespaces', null, 'x', 'status']],
    ['/api/v1/namespaces/x/pods', ['pods', 'x', null, null]],
    ['/api/v1/namespaces/x/pods/y', ['pods', 'x', 'y', null]],
    ['/api/v1/namespaces/x/pods/y/log', ['pods', 'x', 'y', 'log']],
    ['/api/v1/nodes/n', ['nodes', null, 'n', null]],
    ['/apis/apps/v1/namespaces/x/deployments/y/scale', ['deployments.apps', 'x', 'y', 'scale']],
    ['/apis/chaos-mesh.org/v1alpha1/podchaos', ['podchaos.chaos-mesh.org', null, null, null]],
  ])('reads %s', (text, expected) => {
    const path = parseResourcePath(text)
    expect([path?.definition.key, path?.namespace, path?.name, path?.subresource]).toEqual(expected)
  })

  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v2/pods',
    '/api/v1/pods/y',
    '/api/v1/namespaces/x/nodes',
    '/api/v1/namespaces/x/pods/y/exec',
    '/api/v1/namespaces/x/pods/y/log/z',
    '/apis/apps/v1/pods',
    '/apis/batch/v2/jobs',
    '/api/v1/%zz',
  ])('knows no %s', (text) => {
    expect(parseResourcePath(text)).toBeNull()
  })

  it('reads back the paths of collections', () => {
    const text = collectionPath('deployments.apps', 'x')
    expect(text).toBe('/apis/apps/v1/namespaces/x/deployments')
    expect(parseResourcePath(text)).toMatchObject({ namespace: 'x', name: null })
  })
})
