import type { AgentPush, Push } from '../../model/chat/push.ts'
import { clean } from '../text/clean.ts'
import { contentOf } from '../outbox/outbox-body.ts'

/**
 * Turns a request into the push that is judged: cleaned, with the names of its files among its parts. The
 * files have no hash yet.
 */
export const pushFromRequest = (asked: AgentPush): Push => {
  const { files, ...rest } = asked
  const names = files.map(({ name }, at) => ({ field: `file.${at}.name`, text: name }))
  return {
    ...rest,
    ...clean({
      ...contentOf(rest),
      parts: [...asked.parts, ...names],
      files: files.map(({ type, bytes }) => ({ sha256: '', size: bytes.length, type })),
    }),
  }
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
