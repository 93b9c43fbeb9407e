import { createHash } from 'node:crypto'
import { entropyToMnemonic } from '@scure/bip39'
import { wordlist as english } from '@scure/bip39/wordlists/english.js'
import { wordlist as french } from '@scure/bip39/wordlists/french.js'
import { wordlist as korean } from '@scure/bip39/wordlists/korean.js'
import { wordlist as chinese } from '@scure/bip39/wordlists/simplified-chinese.js'
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js'
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js'
import { base62, base64Letters, capitals, digits, urlLetters, type Seeded } from './seeded.ts'

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const hexLetters = '0123456789abcdef'
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

const base58Check = (bytes: Buffer): string => {
  const all = Buffer.concat([bytes, sha256(sha256(bytes)).subarray(0, 4)])
  let value = BigInt(`0x${all.toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = `${base58[Number(value % 58n)]}${text}`
  return text
}

const pem = (seeded: Seeded): string => {
  const body = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${seeded.letters(1560, base64Letters)}`
  return `-----BEGIN PRIVATE KEY-----\n${body.replaceAll(/.{64}/g, '$&\n').trim()}\n-----END PRIVATE KEY-----`
}

/** One of each kind, made of chance: none of them opens anything. */
export const madeSecrets: Readonly<Record<string, (seeded: Seeded) => string>> = {
  github: (seeded) => `gh${seeded.pick(['p', 'o', 's'])}_${seeded.letters(36)}`,
  slack: (seeded) =>
    `xoxb-${seeded.letters(12, '123456789')}-${seeded.letters(12, digits)}-${seeded.letters(24)}`,
  telegram: (seeded) =>
    `${seeded.letters(10, '123456789')}:AA${seeded.letters(32, urlLetters)}${seeded.letters(1)}`,
  anthropic: (seeded) => `sk-ant-api03-${seeded.letters(93, urlLetters)}AA`,
  openai: (seeded) =>
    `sk-proj-${seeded.letters(74, urlLetters)}T3BlbkFJ${seeded.letters(73, urlLetters)}${seeded.letters(1)}`,
  aws: (seeded) => `AKIA${seeded.letters(16, `${capitals}234567`)}`,
  google: (seeded) => `AIza${seeded.letters(34, urlLetters)}${seeded.letters(1)}`,
  npm: (seeded) => `npm_${seeded.letters(36)}`,
  stripe: (seeded) => `sk_live_${seeded.letters(24)}`,
  jwt: (seeded) =>
    `eyJ${seeded.letters(33)}.eyJ${seeded.letters(60, urlLetters)}.${seeded.letters(42, urlLetters)}${seeded.letters(1)}`,
  'private key, PEM': pem,
  'private key, wallet': (seeded) =>
    base58Check(Buffer.concat([Buffer.from([0x80]), seeded.bytes(32), Buffer.from([1])])),
  'private key, hex': (seeded) => `private key: 0x${seeded.letters(64, hexLetters)}`,
  'seed phrase, 12': (seeded) => entropyToMnemonic(seeded.bytes(16), english),
  'seed phrase, 24': (seeded) => entropyToMnemonic(seeded.bytes(32), english),
  'seed phrase, Spanish': (seeded) => entropyToMnemonic(seeded.bytes(16), spanish),
  'seed phrase, French': (seeded) => entropyToMnemonic(seeded.bytes(16), french),
  'seed phrase, Japanese': (seeded) => entropyToMnemonic(seeded.bytes(16), japanese),
  'seed phrase, Korean': (seeded) => entropyToMnemonic(seeded.bytes(16), korean),
  'seed phrase, Chinese': (seeded) => entropyToMnemonic(seeded.bytes(16), chinese),
  'database address': (seeded) =>
    `postgres://app:${seeded.letters(18, base62)}@db-${seeded.letters(5, digits)}.internal:5432/app`,
}
