import { z } from 'zod'
import { actionOf, containers, milliseconds, percent, positive, text, wholeNumber } from './fault-fields.js'

const METHODS = [
  ...['lookup', 'forget', 'getattr', 'setattr', 'readlink', 'mknod', 'mkdir', 'unlink', 'rmdir', 'symlink', 'rename'],
  ...['link', 'open', 'read', 'write', 'flush', 'release', 'fsync', 'opendir', 'readdir', 'releasedir', 'fsyncdir'],
  ...['statfs', 'setxattr', 'getxattr', 'listxattr', 'removexattr', 'access', 'create', 'getlk', 'setlk', 'bmap'],
]

/** Which calls on which files are meant. */
const calls = {
  /** The mount path of a volume of the pods; anything else can never be undone. */
  volumePath: z.string().regex(/^\//, { error: 'must be the absolute mount path of a volume of the target' }),
  /** Files below the volume, with `*` and `**`; without it all. */
  path: text.optional(),
  methods: z
    .array(z.enum(METHODS, { error: `must be a call of a file system: ${METHODS.join(', ')}` }))
    .min(1)
    .optional(),
  /** Share of the calls that are hit; without it all. Chaos Mesh takes whole numbers. */
  percent: percent.int().optional(),
  containers,
}
const time = z.strictObject({ sec: wholeNumber, nsec: wholeNumber.min(0).max(999_999_999) })
const unsigned = wholeNumber.nonnegative().optional()
const FILE_KINDS = ['namedPipe', 'charDevice', 'blockDevice', 'directory', 'regularFile', 'symlink', 'socket'] as const

/** Attributes of a file that are reported in place of its own. */
const attributes = z
  .strictObject({
    ino: unsigned,
    size: unsigned,
    blocks: unsigned,
    atime: time.optional(),
    mtime: time.optional(),
    ctime: time.optional(),
    kind: z.enum(FILE_KINDS, { error: `must be one of ${FILE_KINDS.join(', ')}` }).optional(),
    perm: wholeNumber.min(0).max(0o7777).optional(),
    nlink: unsigned,
    uid: unsigned,
    gid: unsigned,
    rdev: unsigned,
  })
  .refine((attr) => Object.keys(attr).length > 0, { error: 'must name at least one attribute' })

const io = <A extends string, S extends z.ZodRawShape>(action: A, shape: S) =>
  actionOf('IOChaos', action, z.strictObject({ ...calls, ...shape }))

export const ioFault = z.discriminatedUnion('action', [
  io('latency', { delayMs: milliseconds }),
  io('fault', {
    errno: z.number({ error: 'must be the number of an error of Linux, such as 5 for EIO' }).int().min(1).max(133),
  }),
  io('attrOverride', { attr: attributes }),
  io('mistake', {
    filling: z.enum(['zero', 'random'], { error: 'must be zero or random' }),
    maxOccurrences: positive,
    maxLength: positive,
  }),
])
