import { createVaultCipher } from './vault-cipher.js'

const cipher = createVaultCipher(Buffer.alloc(32, 1))

describe('createVaultCipher', () => {
  it('opens what it sealed, never with the same bytes twice', () => {
    const [a, b] = [cipher.seal('t/c/n', 'text ☃'), cipher.seal('t/c/n', 'text ☃')]
    expect(a.equals(b)).toBe(false)
    expect(cipher.open('t/c/n', a)).toBe('text ☃')
  })

  it.each([
    ['at another place', (sealed: Buffer) => cipher.open('t/c/other', sealed)],
    ['with another key', (sealed: Buffer) => createVaultCipher(Buffer.alloc(32, 2)).open('t/c/n', sealed)],
    ['when a bit was turned', (sealed: Buffer) => cipher.open('t/c/n', Buffer.from(sealed).fill(9, 30, 31))],
    ['when it was cut off', (sealed: Buffer) => cipher.open('t/c/n', sealed.subarray(0, 20))],
    ['when another version sealed it', (sealed: Buffer) => cipher.open('t/c/n', Buffer.from(sealed).fill(2, 0, 1))],
  ])('opens nothing %s', (_when, open) => {
    expect(() => open(cipher.seal('t/c/n', 'a longer text to be sealed'))).toThrow('ORDEAL_VAULT_KEY')
  })
})
