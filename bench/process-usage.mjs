import { readdirSync, readFileSync } from 'node:fs'

/** What processes under this one have used, by part of the system. Reads /proc, so Linux only. */

const TICKS_PER_SECOND = 100
const PAGE = 4096
const PARTS = [
  ['embedded', /embedded-cluster/],
  ['services', /services\/\w+\/dist/],
  ['postgres', /postgres/],
  ['nats', /nats-server/],
]

function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0)
        return [{ pid: Number(pid), parent: Number(fields[1]), command, ticks, pages: Number(fields[21]) }]
      } catch {
        return [] // it ended meanwhile
      }
    })
}

function descendants() {
  const all = processes()
  const ours = new Set([process.pid])
  for (let size = 0; size !== ours.size;) {
    size = ours.size
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid)
  }
  return all.filter(({ pid }) => pid !== process.pid && ours.has(pid))
}

const byPart = (value) => {
  const total = Object.fromEntries(PARTS.map(([part]) => [part, 0]))
  for (const one of descendants()) {
    const part = PARTS.find(([, pattern]) => pattern.test(one.command))?.[0]
    if (part) total[part] += value(one)
  }
  return total
}

/** Seconds of CPU so far, those of ended children included. */
export const cpuSeconds = () => byPart(({ ticks }) => ticks / TICKS_PER_SECOND)

/** Resident memory now; pages that Postgres' processes share are counted in each. */
export const residentMegabytes = () => byPart(({ pages }) => (pages * PAGE) / 1024 / 1024)
