import type { Separation } from './separation.ts'

/** What every program of a hook finds around it, whoever its author is. */
export interface HookWorld {
  /** Where it finds programs. Every folder of it is one that no agent can write. */
  readonly path: string
  /** Folders of the PATH that hookgate was started with that are not on it, each with the reason as a clause. */
  readonly leftOut: readonly { readonly folder: string; readonly why: string }[]
  /** Its HOME: a folder of the hooks' user, which no agent can read or write, and which lasts. */
  readonly home: string
  /** Where it puts temporary files. */
  readonly tmpdir: string
  /** The folder in which an owner finds what hooks put there. */
  readonly tmp: string
}

/** Where an owner finds what hooks wrote. */
export const placesLine = ({ home, tmp, tmpdir }: Pick<HookWorld, 'home' | 'tmp' | 'tmpdir'>): string =>
  tmp === tmpdir
    ? `Hooks keep what lasts in ${home}, their HOME, and temporary files in ${tmp}, their TMPDIR; /tmp is the machine’s own.`
    : `Hooks keep what lasts in ${home}, their HOME. What they write to ${tmpdir} lies in ${tmp} and lasts, too.`

/** What of it somebody is told who tries a hook outside of the gate. */
export type ToldWorld = Pick<HookWorld, 'path'> & {
  /** What hooks find as USER. */
  readonly user: string
  readonly lang: string
  readonly tz?: string
  readonly workspace: string
  readonly separation: Separation['kind']
}

/**
 * Variables that would let an entry, or gate.yaml's list of them, replace the program that an owner approved, or that are
 * the gate's own to set.
 */
export const refusedVariable =
  /^(LD_|DYLD_|PYTHON|GIT_|HOOKGATE_)|^(NODE_OPTIONS|BASH_ENV|ENV|PATH|IFS|SHELLOPTS|CDPATH|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|NODE_PATH)$/

/** The folders of the system's own programs. They come first, so that nothing of a home can stand before them. */
export const systemFolders: readonly string[] = [
  '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin', '/opt/homebrew/bin',
]
