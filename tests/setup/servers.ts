import { startNats, startPostgres } from '@ordeal/local-servers'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type GenericContainer } from 'testcontainers'

/**
 * One Postgres for a whole test run, of which each spec file takes a database, and a NATS for each worker, because
 * streams and consumers have fixed names. Spec files reach them by `@ordeal/shared/testing/servers`.
 */
interface TestServers {
  readonly postgresUrl: string
  readonly natsUrls: readonly string[]
  readonly stop: () => Promise<void>
}

declare global {
  /** Set by globalSetup, for globalTeardown, which runs in the same process. */
  var ordealTestServers: TestServers | undefined
}

const DOCKER_ANSWER_MS = 3000
const POSTGRES_IMAGE = 'postgres:18-alpine'
const NATS_IMAGE = 'nats:2.10-alpine'

/** Jest's globalSetup: starts the servers and tells the workers, which are forked later, their addresses. */
export default async function startServers({ maxWorkers }: { maxWorkers: number }): Promise<void> {
  const servers = (await dockerAnswers()) ? await fromContainers(maxWorkers) : await embedded(maxWorkers)
  globalThis.ordealTestServers = servers
  process.env.ORDEAL_TEST_POSTGRES_URL = servers.postgresUrl
  process.env.ORDEAL_TEST_NATS_URLS = servers.natsUrls.join(' ')
}

async function dockerAnswers(): Promise<boolean> {
  return promisify(execFile)('docker', ['info'], { timeout: DOCKER_ANSWER_MS }).then(
    () => true,
    () => false,
  )
}

const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make))

async function embedded(workers: number): Promise<TestServers> {
  const [postgres, nats] = await Promise.all([
    startPostgres({ temporary: true }),
    times(workers, () => startNats({ temporary: true })),
  ])
  return {
    postgresUrl: postgres.adminUrl,
    natsUrls: nats.map((server) => server.url),
    stop: async () => {
      await Promise.all([postgres, ...nats].map((server) => server.stop()))
    },
  }
}

async function fromContainers(workers: number): Promise<TestServers> {
  // Loaded only where it is used: it takes longer than both embedded servers.
  const { GenericContainer, Wait } = await import('testcontainers')
  const start = (container: GenericContainer, port: number, ready: RegExp, seen: number) =>
    container
      .withExposedPorts(port)
      .withWaitStrategy(Wait.forLogMessage(ready, seen))
      .withStartupTimeout(120_000)
      .start()
  const [postgres, nats] = await Promise.all([
    start(
      new GenericContainer(POSTGRES_IMAGE)
        .withEnvironment({ POSTGRES_PASSWORD: 'test' })
        .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=200']),
      5432,
      /database system is ready to accept connections/,
      2, // the image starts once to initialise, and again
    ),
    times(workers, () => start(new GenericContainer(NATS_IMAGE).withCommand(['-js']), 4222, /Server is ready/, 1)),
  ])
  return {
    postgresUrl: `postgres://postgres:test@${postgres.getHost()}:${postgres.getMappedPort(5432)}/postgres`,
    natsUrls: nats.map((server) => `nats://${server.getHost()}:${server.getMappedPort(4222)}`),
    stop: async () => {
      await Promise.all([postgres, ...nats].map((server) => server.stop()))
    },
  }
}
