import { fakeScreen } from '../testing/fake-screen.js'
import { progressView } from './progress-view.js'

describe('progress view', () => {
  it('writes plain lines with the time where nobody watches', () => {
    let now = 0
    const screen = fakeScreen()
    const view = progressView(screen, () => now)
    view.show({ mark: 'done', text: 'Manifests read' })
    now = 1500
    view.show({ mark: 'fault', text: 'pod-kill on web' })
    view.close()
    expect(screen.text()).toBe('[ 0.0 s] ✓ Manifests read\n[ 1.5 s]   ⚡ pod-kill on web\n')
  })

  it('does not repeat a line', () => {
    const screen = fakeScreen()
    const view = progressView(screen, () => 0)
    view.show({ mark: 'step', text: 'deploying' })
    view.show({ mark: 'step', text: 'deploying' })
    expect(screen.text().match(/deploying/g)).toHaveLength(1)
  })

  it('keeps what happened and writes over what goes on, on a screen', () => {
    const screen = fakeScreen({ live: true, columns: 40 })
    const view = progressView(screen, () => 0)
    view.show({ mark: 'step', text: 'deploying' })
    view.show({ mark: 'done', text: 'Measured' })
    view.close()
    const lines = screen.text().split('\n')
    expect(lines[0]?.split('\u001b[2K').at(-1)).toBe('✓ Measured')
    expect(lines[1]).toContain('deploying')
    expect(screen.text().endsWith('\r\u001b[2K')).toBe(true)
  })

  it('never wraps a live line, since it could then not be written over', () => {
    const screen = fakeScreen({ live: true, columns: 30 })
    const view = progressView(screen, () => 0)
    view.show({ mark: 'step', text: 'x'.repeat(200) })
    view.close()
    const frames = screen.text().split('\r\u001b[2K')
    expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThanOrEqual(30)
  })
})
