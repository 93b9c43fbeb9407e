import { randomInt } from 'node:crypto'

/** Returns `length` characters of `alphabet`, each chosen by the system's cryptographic generator. */
export const randomText = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
