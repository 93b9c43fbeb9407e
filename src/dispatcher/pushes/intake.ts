import type { AgentPush, Push } from '../../model/chat/push.ts'
import { clean } from '../text/clean.ts'
import { contentOf } from '../outbox/outbox-body.ts'

/** What an agent asked for, as it is judged: cleaned, and with the names of its files among its parts. The files have no hash yet. */
export const takenIn = (asked: AgentPush): Push => {
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

/** The same push once its files are kept, each by its hash. */
export const withFiles = async (
  push: Push,
  { files }: AgentPush,
  keep: (bytes: Uint8Array) => Promise<string>,
): Promise<Push> => {
  const hashes = await Promise.all(files.map(({ bytes }) => keep(bytes)))
  return { ...push, files: push.files.map((file, at) => ({ ...file, sha256: hashes[at] ?? '' })) }
}

/** What its files take on the disk, in bytes. */
export const fileBytesOf = ({ files }: Pick<Push, 'files'>): number =>
  files.reduce((sum, { size }) => sum + size, 0)
