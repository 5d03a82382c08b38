import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { TerminalError } from '../errors.js'

/** Seals texts with AES-256-GCM. What is sealed for one place (tenant, cycle, name) does not open at another. */
export interface VaultCipher {
  seal(place: string, text: string): Buffer
  /** Throws TerminalError `vault-unreadable` when the key is another one or the bytes were touched. */
  open(place: string, sealed: Buffer): string
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `key` has 32 bytes. Layout of sealed bytes: version (1), nonce (12), tag (16), ciphertext. */
export function createVaultCipher(key: Uint8Array): VaultCipher {
  return {
    seal(place, text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
    },
    open(place, sealed) {
      try {
        if (sealed[0] !== VERSION) throw new Error(`sealed by version ${sealed[0]} of the vault`)
        const [nonceEnd, tagEnd] = [1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES]
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, nonceEnd))
        decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(nonceEnd, tagEnd))
        return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]).toString('utf8')
      } catch (cause) {
        const advice = 'ORDEAL_VAULT_KEY must be the key that sealed it'
        throw new TerminalError('vault-unreadable', `cannot open ${place} in the vault. ${advice}`, { cause })
      }
    },
  }
}
