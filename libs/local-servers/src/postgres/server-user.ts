import { TerminalError } from '@ordeal/shared'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The account under which a server runs. */
export interface ServerUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** In this order; both have no rights of their own, and one of them is on every Linux and macOS. */
const CANDIDATES = ['postgres', 'nobody']

/** Null for whoever runs this, or, because Postgres refuses to run as root, an unprivileged account where that is root. */
export async function serverUser(): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null
  for (const name of CANDIDATES) {
    const [uid, gid] = await Promise.all([id('-u', name), id('-g', name)])
    if (uid && gid) return { name, uid, gid }
  }
  throw new TerminalError(
    'server-unavailable',
    `Postgres does not run as root, and there is no user ${CANDIDATES.join(' or ')} to run it as. ` +
      'Create one (useradd --system postgres), or run Ordeal as an ordinary user',
  )
}

/** A user's number, or null when there is no such user (or it is root's). */
async function id(flag: string, name: string): Promise<number | null> {
  const answer = await run('id', [flag, name]).catch(() => null)
  return Number(answer?.stdout.trim()) || null
}

/** Whether `user` (null: this process's) passes `test FLAG path`, every folder on the way included. */
export async function userCan(user: ServerUser | null, flag: '-x' | '-w', path: string): Promise<boolean> {
  const as = user ? { uid: user.uid, gid: user.gid } : {}
  return run('/bin/sh', ['-c', 'test "$1" "$2"', 'sh', flag, path], { cwd: '/', ...as }).then(
    () => true,
    () => false,
  )
}
