import type { HookSource, SourceFile } from '../../shared/gate/hook-source.ts'
import type { Address } from '../../core/model/chat/push.ts'
import { rowKey, type FileFacts, type ListedHook } from '../../shared/gate/catalogue.ts'
import { differencesOf } from '../families/diff.ts'
import { unchangedBytes, isText } from './file-bytes.ts'
import { plainLinesFor } from '../cards/binding.ts'
import type { CommandPorts } from '../ports.ts'

/** The limits of the text that one answer has, in UTF-16 units: for one file, and for all files together. */
const maxFileUnits = 200_000
const maxAllUnits = 600_000
/** The limits of the difference. It is longer here than in a chat, because a page scrolls. */
const pageLimits = { maxLines: 2000, maxChars: 100_000 }

const filesOf = (row: ListedHook, ports: CommandPorts): readonly SourceFile[] => {
  const sealed = row.proposed === undefined ? row.live : undefined
  let unitsLeft = maxAllUnits
  const read = (file: FileFacts, isWatched: boolean): SourceFile => {
    const facts = { path: file.path, bytes: file.bytes, sha256: file.sha256 }
    if (unitsLeft <= 0) return { ...facts, why: 'too_much' }
    const bytes = unchangedBytes(
      sealed === undefined || isWatched ? ports.proposedBytes(file) : ports.sealedBytes(sealed, file.path),
      file,
    )
    if (bytes === undefined) return { ...facts, why: 'unreadable' }
    if (!isText(bytes)) return { ...facts, why: 'binary' }
    const whole = bytes.toString('utf8')
    const text = whole.slice(0, Math.min(maxFileUnits, unitsLeft)).toWellFormed()
    unitsLeft -= text.length
    return {
      ...facts,
      text,
      ...(text.length < whole.length ? { leftUnits: whole.length - text.length } : {}),
    }
  }
  return [
    ...row.files.map((file) => read(file, false)),
    ...(row.watched ?? []).map((file) => read(file, true)),
  ]
}

/**
 * The source of the hook that an owner's handle names, read now. Undefined when the handle is not valid or
 * the hook changed since the owner saw it. It changes nothing.
 */
export const sourceOf = async (
  ports: CommandPorts,
  owner: string,
  page: Address,
  handle: string,
): Promise<HookSource | undefined> => {
  const resolved = ports.resolveHandle(owner, page.chat_id, handle)
  if ('why' in resolved) return undefined
  const { fingerprint } = resolved
  await ports.refresh(fingerprint)
  const row = ports.rows().find((one) => rowKey(one) === fingerprint)
  if (row === undefined) return undefined
  return {
    from: row.proposed === undefined ? 'sealed' : 'proposed',
    difference:
      row.status === 'changed' ? differencesOf(row, ports, pageLimits).map(plainLinesFor(ports, page)) : [],
    files: filesOf(row, ports),
  }
}
