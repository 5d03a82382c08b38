import { type AddressSet } from './peer.js'

/** Addresses as CIDR says them: `10.0.0.0/8`, or one address. */
export class AddressBlock implements AddressSet {
  private readonly base: number
  private readonly mask: number

  constructor(cidr: string) {
    const [address = '', bits = '32'] = cidr.split('/')
    this.mask = Number(bits) === 0 ? 0 : (~0 << (32 - Number(bits))) >>> 0
    this.base = (toNumber(address) & this.mask) >>> 0
  }

  has(ip: string): boolean {
    return (toNumber(ip) & this.mask) >>> 0 === this.base
  }
}

const toNumber = (address: string): number =>
  address.split('.').reduce((number, part) => number * 256 + Number(part), 0)
