import { ConfigError, parseServiceConfig } from './service-config.js'

const good = {
  DATABASE_URL: 'postgres://ordeal_app:pw@db/ordeal',
  PLUMBING_DATABASE_URL: 'postgresql://ordeal_plumbing:pw@db/ordeal',
  NATS_URL: 'nats://nats:4222',
  ORDEAL_VAULT_KEY: Buffer.alloc(32, 1).toString('base64'),
}

describe('parseServiceConfig', () => {
  it('fills in what was not given', () => {
    expect(parseServiceConfig({ ...good, PORT: '', PHASE_LEASE: undefined })).toMatchObject({
      natsUrl: 'nats://nats:4222',
      embeddedClusterUrl: null,
      host: '127.0.0.1',
      port: 0,
      logLevel: 'info',
      leaseMs: 8000,
    })
  })

  it('reads numbers and durations', () => {
    const config = parseServiceConfig({ ...good, PORT: '8080', PHASE_LEASE: '500ms', DRAIN_TIMEOUT: '1m30s' })
    expect(config).toMatchObject({ port: 8080, leaseMs: 500, drainMs: 90_000 })
  })

  it('lists every bad variable at once and never a value', () => {
    const bad = {
      DATABASE_URL: 'mysql://root:hunter2@db',
      ORDEAL_VAULT_KEY: 'c2hvcnQ=',
      PORT: '70000',
      LOG_LEVEL: 'loud',
      PHASE_LEASE: '8',
    }
    let message = ''
    try {
      parseServiceConfig(bad)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      message = (error as Error).message
    }
    for (const name of [...Object.keys(bad), 'PLUMBING_DATABASE_URL', 'NATS_URL']) expect(message).toContain(name)
    expect(message).toContain('NATS_URL is not set; give the NATS URL')
    expect(message).not.toContain('hunter2')
  })
})
