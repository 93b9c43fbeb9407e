import { generateKeyPairSync } from 'node:crypto'

// Made anew for each run: a secret in a file of this tree would be found by everybody's scanner.
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz0123456789'
export const random = (length: number, alphabet = letters): string =>
  Array.from({ length }, () => alphabet[Math.floor(Math.random() * alphabet.length)]).join('')

export const pem = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
    .trim()

/** The vectors of the wallets' own specifications: [kind, text around, secret]. */
export const secrets: Readonly<Record<string, () => string>> = {
  github: () => `ghp_${random(36)}`,
  slack: () => `xoxb-${random(12, '123456789')}-${random(24)}`,
  telegram: () => `${random(9, '123456789')}:AA${random(33)}`,
  anthropic: () => `sk-ant-api03-${random(93)}AA`,
  aws: () => `AKIA${random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  google: () => `AIza${random(35)}`,
  token: () => `eyJ${random(20)}.eyJ${random(60)}.${random(43)}`,
  'private key': pem,
}
