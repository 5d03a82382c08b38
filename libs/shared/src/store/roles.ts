import pg from 'pg'

/** Passwords of the two roles that services connect as. */
export interface RolePasswords {
  /** Of `ordeal_app`, which sees one tenant at a time. */
  readonly app: string
  /** Of `ordeal_plumbing`, which sees rows of ids only. */
  readonly plumbing: string
}

const TRIES = 10
/** What Postgres says when another database's migration touches the same role at the same instant. */
const CONCURRENT = ['23505', '42710', 'XX000']

async function setRole(client: pg.Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  const verb = rowCount ? 'alter' : 'create'
  await client.query(
    `${verb} role ${role} login nosuperuser nobypassrls nocreatedb nocreaterole password ${pg.escapeLiteral(password)}`,
  )
}

async function ensureRole(client: pg.Client, role: string, password: string, triesLeft = TRIES): Promise<void> {
  try {
    await setRole(client, role, password)
  } catch (error) {
    if (triesLeft <= 1 || !CONCURRENT.includes(String((error as { code?: unknown }).code))) throw error
    await ensureRole(client, role, password, triesLeft - 1)
  }
}

/**
 * Creates the roles, or gives them these passwords. Roles belong to the whole server, so the lock of one database does
 * not keep migrations of others away: a clash is tried again.
 */
export async function ensureRoles(client: pg.Client, passwords: RolePasswords): Promise<void> {
  await ensureRole(client, 'ordeal_app', passwords.app)
  await ensureRole(client, 'ordeal_plumbing', passwords.plumbing)
}
