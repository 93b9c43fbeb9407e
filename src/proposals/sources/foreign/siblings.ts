import { join } from 'node:path'
import type { ForeignPorts } from './foreign.ts'

const maxFiles = 50
const maxFolders = 50

/**
 * Lists the other files of a hook's folder. They are sealed with its script, which may read any of them. The
 * list is bounded, and remarks name what is left out.
 */
export const siblingsOf = (
  dir: string,
  script: string,
  { list }: Pick<ForeignPorts, 'list'>,
): { readonly files: readonly string[]; readonly remarks: readonly string[] } => {
  const files: string[] = []
  const unread: string[] = []
  const folders = [dir]
  // The list grows during the loop. The loop ends, because links count as files and each folder is entered
  // once.
  for (const [index, folder] of folders.entries()) {
    if (index >= maxFolders || files.length > maxFiles) break
    const listed = list(folder)
    if ('why' in listed) {
      unread.push(`${folder} is ${listed.why}`)
      continue
    }
    for (const name of listed.names) {
      const path = join(folder, name)
      if (name.endsWith('/')) folders.push(path.replace(/\/$/, ''))
      else if (path !== script) files.push(path)
    }
  }
  const isCut = files.length > maxFiles || folders.length > maxFolders
  return {
    files: files.slice(0, maxFiles),
    remarks: [
      ...(isCut
        ? [
            `Its folder holds more than ${maxFiles} files or folders. Only the first ${Math.min(files.length, maxFiles)} files are sealed with it.`,
          ]
        : []),
      ...unread.slice(0, 3).map((why) => `${why}, so nothing in it is sealed.`),
    ],
  }
}
