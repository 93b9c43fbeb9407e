import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FileFacts } from '../../shared/gate/catalogue.ts'

/** The bytes, if their hash is that of the facts. Undefined otherwise. */
export const unchangedBytes = (bytes: Buffer | undefined, { sha256 }: FileFacts): Buffer | undefined =>
  bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : undefined

export const isText = (bytes: Buffer): boolean => !bytes.includes(0) && isUtf8(bytes)
