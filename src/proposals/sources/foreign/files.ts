import { opendirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { codeOf } from '../../../core/model/gate/problem.ts'
import type { ForeignPorts } from './foreign.ts'

/** The most names in a folder of hooks. */
const maxNames = 1000

/** The file access of sources. An agent may have written everything below the workspace. */
export interface SourceFiles extends Pick<ForeignPorts, 'read' | 'list' | 'isExecutable'> {
  /**
   * A text that changes when a file or a folder's list of names changes: device, inode, mode, size and time
   * in ns. It is '' when nothing exists there.
   */
  stamp(place: string): string
}

/**
 * Gives sources access to the file system, relative to the workspace. `readFile` reads one regular file in
 * bounded size.
 */
export const createFiles = (
  workspace: string,
  readFile: (path: string) => ReturnType<ForeignPorts['read']>,
): SourceFiles => {
  const at = (place: string): string => resolve(workspace, place)
  return {
    read: (place) => readFile(at(place)),
    list: (place) => {
      const names: string[] = []
      try {
        const folder = opendirSync(at(place))
        try {
          for (let item = folder.readSync(); item !== null; item = folder.readSync()) {
            if (names.length === maxNames) return { why: `too large: it has more than ${maxNames} names` }
            names.push(item.isDirectory() ? `${item.name}/` : item.name)
          }
        } finally {
          folder.closeSync()
        }
      } catch (error) {
        const code = codeOf(error)
        return { why: code === 'ENOENT' ? 'missing' : code === 'ENOTDIR' ? 'not a folder' : 'unreadable' }
      }
      return { names: names.toSorted() }
    },
    isExecutable: (place) => {
      const stat = statSync(at(place), { throwIfNoEntry: false })
      return stat?.isFile() === true && (stat.mode & 0o111) !== 0
    },
    stamp: (place) => {
      try {
        const { dev, ino, mode, size, mtimeNs } = statSync(at(place), { bigint: true })
        return [dev, ino, mode, size, mtimeNs].join(' ')
      } catch {
        return ''
      }
    },
  }
}
