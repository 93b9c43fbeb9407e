import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto'
import { isObject } from '../core/model/base/json.ts'
import { ProblemError } from '../core/model/gate/problem.ts'

/**
 * The form of a backup's file. Two lines of text come first: the parameters, then their checksum and their
 * signature. The content follows in pieces, each encrypted with AES-256-GCM. The nonce of a piece has its
 * number and says whether it is the last one, so that pieces cannot be left out, moved or doubled (as in the
 * STREAM construction, Hoang and others 2015). A line of text ends the file.
 */
const magic = 'hookgate backup'
const version = 1
const ending = Buffer.from('\nend of hookgate backup\n')
export const pieceBytes = 64 * 1024
const tagBytes = 16
const maxHeadBytes = 1024

/** The cost of scrypt. Each passphrase that is tried takes 128 MB of memory and about half a second. */
const usualCost = 2 ** 17
const blockSize = 8
/** What a file may ask for: at most 256 MB. */
const minCost = 2 ** 14
const maxCost = 2 ** 18

const problem = (code: string, message: string, fix: string): ProblemError =>
  new ProblemError({ code: `backup.${code}`, message, fix })

const unchanged = 'Nothing was changed.'

export const damaged = (what: string): ProblemError =>
  problem(
    'damaged',
    `Expected a backup as it was written, but ${what}.`,
    `${unchanged} Copy the file again from where you keep it, or use another backup.`,
  )

const cut = (): ProblemError =>
  problem(
    'cut',
    'Expected a whole backup, got one whose end is missing.',
    `${unchanged} The file was cut, as by a full disk or an interrupted copy. Copy it again, or use another backup.`,
  )

const keysOf = (passphrase: string, salt: Buffer, cost: number) => {
  const both = scryptSync(passphrase.normalize('NFC'), salt, 64, {
    N: cost,
    r: blockSize,
    p: 1,
    maxmem: 256 * cost * blockSize,
  })
  return { content: both.subarray(0, 32), head: both.subarray(32) }
}

const checksumOf = (line: string): string => createHash('sha256').update(line).digest('hex')
const signatureOf = (line: string, key: Buffer): string =>
  createHmac('sha256', key).update(line).digest('hex')

const nonceOf = (prefix: Buffer, index: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12)
  prefix.copy(nonce)
  nonce.writeUInt32BE(index, 7)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** Takes the content of a backup, and gives the bytes of its file. */
export interface Sealer {
  write(bytes: Uint8Array): void
  /** Must be called once, at the end. */
  end(): void
}

export const createSealer = (
  passphrase: string,
  out: (bytes: Uint8Array) => void,
  cost = usualCost,
): Sealer => {
  const [salt, prefix] = [randomBytes(16), randomBytes(7)]
  const line = `${magic} ${version} ${JSON.stringify({
    kdf: 'scrypt',
    cost,
    salt: salt.toString('hex'),
    cipher: 'aes-256-gcm',
    nonce: prefix.toString('hex'),
  })}\n`
  const keys = keysOf(passphrase, salt, cost)
  out(Buffer.from(`${line}${checksumOf(line)} ${signatureOf(line, keys.head)}\n`))
  const waiting = Buffer.alloc(pieceBytes)
  let [filled, index] = [0, 0]
  const flush = (isLast: boolean): void => {
    const cipher = createCipheriv('aes-256-gcm', keys.content, nonceOf(prefix, index, isLast))
    const sealed = Buffer.concat([cipher.update(waiting.subarray(0, filled)), cipher.final()])
    out(sealed)
    out(cipher.getAuthTag())
    filled = 0
    index += 1
  }
  return {
    write: (bytes) => {
      for (let from = 0; from < bytes.length;) {
        // A full piece waits for its successor, because only the last one may be marked as the last.
        if (filled === pieceBytes) flush(false)
        const part = bytes.subarray(from, from + pieceBytes - filled)
        waiting.set(part, filled)
        filled += part.length
        from += part.length
      }
    },
    end: () => {
      flush(true)
      out(ending)
    },
  }
}

/** A file that can be read at any place. */
export interface ReadAt {
  readonly size: number
  /** The bytes from this place on; fewer only at the end of the file. */
  read(at: number, length: number): Buffer
}

interface Head {
  readonly line: string
  readonly signature: string
  readonly cost: number
  readonly salt: Buffer
  readonly prefix: Buffer
  readonly length: number
}

const readHead = (file: ReadAt): Head => {
  const text = file.read(0, maxHeadBytes).toString('latin1')
  const [, found] = new RegExp(`^${magic} (\\d{1,6}) `).exec(text) ?? []
  if (found === undefined)
    throw problem(
      'foreign',
      'Expected a file that "hookgate backup" wrote, got another one.',
      `${unchanged} Name the file of a backup.`,
    )
  if (Number(found) !== version)
    throw problem(
      'version',
      `Expected a backup of form ${version}, got one of form ${found}.`,
      `${unchanged} Use the version of hookgate that wrote it, or a newer one.`,
    )
  if (file.size < maxHeadBytes && text.split('\n').length < 3) throw cut()
  const end = text.indexOf('\n') + 1
  const line = text.slice(0, end)
  const [sums, checksum, signature = ''] = /^([0-9a-f]{64}) ([0-9a-f]{64})\n/.exec(text.slice(end)) ?? []
  if (sums === undefined || checksum !== checksumOf(line)) throw damaged('its first lines were changed')
  const values: unknown = JSON.parse(line.slice(line.indexOf('{')))
  const { cost, salt, nonce } = isObject(values) ? values : {}
  const isHex = (value: unknown, bytes: number): value is string =>
    typeof value === 'string' && new RegExp(`^[0-9a-f]{${2 * bytes}}$`).test(value)
  const isCost =
    typeof cost === 'number' && Number.isInteger(Math.log2(cost)) && cost >= minCost && cost <= maxCost
  if (!isCost || !isHex(salt, 16) || !isHex(nonce, 7))
    throw damaged('its first line has values that hookgate never writes')
  return {
    line,
    signature,
    cost,
    salt: Buffer.from(salt, 'hex'),
    prefix: Buffer.from(nonce, 'hex'),
    length: end + sums.length,
  }
}

/**
 * Checks what can be checked without the passphrase: whether it is a backup, and whether its end is there.
 * Throws a ProblemError. Returns where the pieces begin and end.
 */
export const checkForm = (file: ReadAt): { readonly head: Head; readonly end: number } => {
  const head = readHead(file)
  const end = file.size - ending.length
  if (end < head.length + tagBytes || !file.read(end, ending.length).equals(ending)) throw cut()
  return { head, end }
}

const opened = (key: Buffer, nonce: Buffer, sealed: Buffer): Buffer | undefined => {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}

/**
 * Reads the content of a backup piece by piece. Each piece is verified before it is given. Throws a
 * ProblemError that tells a foreign file, a wrong passphrase, a cut file and a damaged one apart. What was
 * read counts only after the last piece.
 */
export const unseal = function* (file: ReadAt, passphrase: string): Generator<Buffer> {
  const { head, end } = checkForm(file)
  const keys = keysOf(passphrase, head.salt, head.cost)
  const isRight = timingSafeEqual(Buffer.from(signatureOf(head.line, keys.head)), Buffer.from(head.signature))
  if (!isRight)
    throw problem(
      'passphrase',
      'Expected the passphrase that this backup was made with, got another one.',
      `${unchanged} Try again. Nobody can read a backup without its passphrase.`,
    )
  let index = 0
  for (let at = head.length; at < end; index++) {
    const sealed = file.read(at, Math.min(pieceBytes + tagBytes, end - at))
    at += sealed.length
    const piece =
      sealed.length < tagBytes
        ? undefined
        : opened(keys.content, nonceOf(head.prefix, index, at >= end), sealed)
    if (piece === undefined)
      throw damaged(`byte ${at - sealed.length} or one of the next ${pieceBytes} was changed`)
    yield piece
  }
}
