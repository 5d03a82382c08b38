import { readMigrateConfig } from './migrate.config.js'

const good = {
  ADMIN_DATABASE_URL: 'postgres://ordeal:a@db/ordeal',
  DATABASE_URL: 'postgres://ordeal_app:b%2F1@db/ordeal',
  PLUMBING_DATABASE_URL: 'postgres://ordeal_plumbing:c@db/ordeal',
}

describe('readMigrateConfig', () => {
  it('takes the passwords of the roles from the URLs of the services, decoded', () => {
    expect(readMigrateConfig(good)).toEqual({
      adminUrl: good.ADMIN_DATABASE_URL,
      passwords: { app: 'b/1', plumbing: 'c' },
    })
  })
  it('names every variable that is missing', () => {
    expect(() => readMigrateConfig({})).toThrow(/ADMIN_DATABASE_URL[^]*\n\s+DATABASE_URL[^]*PLUMBING_DATABASE_URL/)
  })
  it.each([
    ['another role', 'postgres://postgres:b@db/ordeal', `DATABASE_URL logs in as 'postgres', not as ordeal_app`],
    ['no password', 'postgres://ordeal_app@db/ordeal', 'DATABASE_URL has no password for ordeal_app'],
    ['no Postgres URL', 'http://db', 'DATABASE_URL is not a Postgres URL'],
  ])('refuses %s', (_, DATABASE_URL, message) => {
    expect(() => readMigrateConfig({ ...good, DATABASE_URL })).toThrow(message)
  })
})
