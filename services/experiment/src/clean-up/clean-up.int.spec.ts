import { deploymentApp } from '../testing/applications.js'
import { startEmbeddedCycle, type EmbeddedCycle } from '../testing/embedded-cycle.js'

describe('clean-up on the embedded cluster', () => {
  let cycle: EmbeddedCycle
  beforeEach(async () => (cycle = await startEmbeddedCycle(deploymentApp('front', 2))))
  afterEach(() => cycle.close())

  it('leaves nothing', async () => {
    await cycle.measure()
    expect(await cycle.clusters()).toHaveLength(1)
    expect(await cycle.cleanUp()).toBeNull()
    expect(await cycle.clusters()).toEqual([])
  })

  it('has nothing to do for a cycle that never came to its cluster', async () => {
    expect(await cycle.cleanUp()).toBeNull()
    expect(await cycle.clusters()).toEqual([])
  })
})
