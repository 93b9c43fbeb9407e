import type { AgentPush, Push } from '../../model/chat/push.ts'
import { clean } from '../text/clean.ts'

/**
 * Turns a request into the push that is judged: cleaned, with the names of its files among its parts. The
 * files have no hash yet.
 */
export const pushFromRequest = (asked: AgentPush): Push => {
  const { parts, files } = asked
  return clean({
    ...asked,
    parts: [...parts, ...files.map(({ name }, at) => ({ field: `file.${at}.name`, text: name }))],
    files: files.map(({ type, bytes }) => ({ sha256: '', size: bytes.length, type })),
  })
}

/** Stores the files of a push and gives each its hash. */
export const withFiles = async (
  push: Push,
  { files }: AgentPush,
  store: (bytes: Uint8Array) => Promise<string>,
): Promise<Push> => {
  const hashes = await Promise.all(files.map(({ bytes }) => store(bytes)))
  return { ...push, files: push.files.map((file, at) => ({ ...file, sha256: hashes[at] ?? '' })) }
}

/** The size of its files, in bytes. */
export const fileBytesOf = ({ files }: Pick<Push, 'files'>): number =>
  files.reduce((sum, { size }) => sum + size, 0)
