import { loadModule } from './load-module.js'

describe('the module', () => {
  it('is missed with the remedy when it was not built', async () => {
    await expect(loadModule(new URL('file:///nowhere/renderer.wasm.br'))).rejects.toMatchObject({
      code: 'renderer-missing',
      message: expect.stringContaining('scripts/build-renderer.mjs'),
    })
  })
})
