import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const onPath = (path: string | undefined): string | undefined => {
  for (const folder of (path ?? '').split(delimiter)) {
    // Only child processes of npm have these folders on their PATH.
    if (folder.endsWith('node_modules/.bin')) continue
    const file = join(folder, 'hookgate')
    try {
      accessSync(file, constants.X_OK)
      return realpathSync(file)
    } catch {
      // The program is not in this folder.
    }
  }
  return undefined
}

export interface BridgeCommand {
  readonly words: readonly string[]
  /** Node and this program by their full paths. */
  readonly full: readonly string[]
  /** True when `hookgate` on PATH is this program. */
  readonly isOnPath: boolean
  /** The other program that `hookgate` on PATH is. */
  readonly other?: string
}

/**
 * Returns the words that start this program again. They are `hookgate` where PATH leads to this program,
 * which works after an upgrade and with another Node. Otherwise they are the full path of the program and of
 * the Node that runs it now, since a clone has its own Node.
 */
export const programWords = (cli: string, node: string, path: string | undefined): BridgeCommand => {
  const found = onPath(path)
  const full = [node, cli]
  if (found === realpathSync(cli)) return { isOnPath: true, words: ['hookgate'], full }
  return { isOnPath: false, words: full, full, other: found }
}

/** Says which program `hookgate` on the PATH of this machine is. Undefined: it is this one. */
export const pathWarning = ({ isOnPath, other }: BridgeCommand): string | undefined => {
  if (isOnPath) return undefined
  return other === undefined
    ? '⚠ "hookgate" is not on the PATH of this machine. To put it there: npm install --global hookgate (in a clone: npm install --global .).'
    : `⚠ "hookgate" on the PATH of this machine is another one, ${other}.`
}

/**
 * The first of these programs and the folders above them that somebody besides root can change. Undefined:
 * there is none.
 */
export const changeable = (programs: readonly string[]): string | undefined => {
  for (const program of programs) {
    for (let path = realpathSync(program), below = ''; path !== below; below = path, path = dirname(path)) {
      const { uid, mode } = statSync(path)
      if (uid !== 0 || (mode & 0o022) !== 0) return path
    }
  }
  return undefined
}

/**
 * Returns the deadline of the bridge, in seconds. It is a twentieth earlier than that of the client, at most
 * 10 s.
 */
export const deadlineFor = (seconds: number): number => seconds - Math.min(10, Math.ceil(seconds / 20))

/** Matches the last words of an entry that hookgate wrote, whatever stands before and after them. */
export const mark = (client: string): RegExp =>
  new RegExp(String.raw`(?:^|[\s'"])bridge ${client} [\w.]+(?: --.*)?$`)
