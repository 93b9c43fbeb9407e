import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A word as any shell takes it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

const onPath = (path: string | undefined): string | undefined => {
  for (const folder of (path ?? '').split(delimiter)) {
    // Only npm's own children find these.
    if (folder.endsWith('node_modules/.bin')) continue
    const file = join(folder, 'hookgate')
    try {
      accessSync(file, constants.X_OK)
      return realpathSync(file)
    } catch {
      // Not here.
    }
  }
  return undefined
}

export interface BridgeCommand {
  readonly words: readonly string[]
  /** Whether `hookgate` on PATH is this very program. */
  readonly isOnPath: boolean
}

/**
 * The words that start this program again. `hookgate` where that is this program: it survives an upgrade, and a new
 * Node beside it. Else by its full path, with the Node that runs it now: a clone brings its own.
 */
export const programWords = (cli: string, node: string, path: string | undefined): BridgeCommand => {
  const isOnPath = onPath(path) === realpathSync(cli)
  return { isOnPath, words: isOnPath ? ['hookgate'] : [node, cli] }
}

/** The bridge answers before the client loses its patience: a twentieth earlier, at most 10 s. */
export const deadlineFor = (seconds: number): number => seconds - Math.min(10, Math.ceil(seconds / 20))

/** The words that an entry of ours ends with, whatever stands before and behind. */
export const mark = (client: string): RegExp =>
  new RegExp(String.raw`(?:^|[\s'"])bridge ${client} [\w.]+(?: --.*)?$`)
