/** Kubernetes' own alphabet for generated names: no vowels, no digits that look like letters. */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/**
 * One seeded stream of random numbers (sfc32). Two streams of one seed but different names are independent, so a new
 * consumer of randomness never shifts what the others draw.
 */
export class RandomStream {
  private a = 0
  private b = 0
  private c = 0
  private counter = 1

  constructor(seed: number, name: string) {
    this.reseed(seed, name)
  }

  /** Starts again, as a new stream of that seed and name would. */
  reseed(seed: number, name: string): void {
    const [a, b, c] = hash(`${seed}/${name}`)
    this.a = a
    this.b = b
    this.c = c
    this.counter = 1
    for (let i = 0; i < 15; i++) this.next()
  }

  /** In [0, 1), 32 bits of resolution. */
  uniform(): number {
    return this.next() / 4294967296
  }

  /** In [low, high). */
  between(low: number, high: number): number {
    return low + (high - low) * this.uniform()
  }

  /** Exponentially distributed with the given mean, in the mean's unit. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.uniform())
  }

  /** An integer in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound)
  }

  /** One element of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('pick from an empty list')
    return list[this.below(list.length)] as T
  }

  /** A suffix as the API server makes it for `generateName`. */
  name(length: number): string {
    let text = ''
    for (let i = 0; i < length; i++) text += NAME_ALPHABET[this.below(NAME_ALPHABET.length)]
    return text
  }

  /** A version 4 UUID. */
  uuid(): string {
    const hex = [this.next(), (this.next() & 0xffff0fff) | 0x4000, (this.next() & 0x3fffffff) | 0x80000000, this.next()]
      .map((word) => (word >>> 0).toString(16).padStart(8, '0'))
      .join('')
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }

  private next(): number {
    const t = (((this.a + this.b) | 0) + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + t) | 0
    return t >>> 0
  }
}

/** Three 32-bit words from a text (FNV-1a with different offsets, then mixed). */
function hash(text: string): [number, number, number] {
  return [word(text, 0x811c9dc5), word(text, 0x9e3779b9), word(text, 0x85ebca6b)]
}

function word(text: string, offset: number): number {
  let h = offset
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad)
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97)
  return (h ^ (h >>> 15)) >>> 0
}
