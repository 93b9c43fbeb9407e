import { closeSync, constants, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { systemFolders, type HookWorld } from '../model/hooks/hook-world.ts'
import { changeableBy } from './users/permissions.ts'
import { canChange, foldersAbove, foldersOfLinks, isUnder, realOf } from './paths.ts'
import type { Account } from './users/accounts.ts'
import type { Mount } from './sandbox/mounts.ts'

/** What stands in the way of a place, as a clause; undefined when hooks may run what is there. */
export type Objection = (real: string) => string | undefined

const maxFolders = 64
const maxPrograms = 4000
const maxHeadBytes = 256

const writable = 'an agent can write'

/** With users of their own: nobody but its owner and the gate may change it, and hooks must be able to pass to it. */
export const objectionOfUsers =
  (agents: readonly Account[], hooks: Account, canEnter: (folder: string) => boolean): Objection =>
  (real) => {
    try {
      if (changeableBy(real, [...agents, hooks]) !== undefined) return writable
      return canEnter(real) ? undefined : `${hooks.name} cannot enter`
    } catch {
      return 'is not there'
    }
  }

/** In a sandbox: what is mounted there for an agent to read, or what this user could not change outside either. */
export const objectionOfSandbox =
  (mounts: readonly Mount[]): Objection =>
  (real) => {
    const outer = mounts.findLast(({ at, kind }) => kind !== 'link' && isUnder(at, real))
    switch (outer?.kind) {
      case 'read':
        return undefined
      case 'write':
        return [...foldersAbove(real), real].some((place) => isUnder(outer.at, place) && canChange(place))
          ? writable
          : undefined
      case 'empty':
      case 'bare':
      case 'link':
      case undefined:
        return 'is not shown in the sandbox'
    }
  }

/** Where nothing stands between: the agent is the gate's own user and could exchange whatever that user can. */
export const objectionOfNone: Objection = (real) =>
  [...foldersAbove(real), real].some(canChange) ? writable : undefined

/** The interpreter that a script's first line names by a full path. */
const interpreterOf = (file: string): string | undefined => {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const head = Buffer.alloc(maxHeadBytes)
      const text = head.toString('utf8', 0, readSync(descriptor, head))
      return /^#![ \t]*(\/[^ \t\r\n]*)/.exec(text)?.[1]
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Nobody can run what cannot be read here, or it is no file.
    return undefined
  }
}

/** A path with the links that it leads through: an agent that can change one of those leads it elsewhere. */
const objectionToWay = (path: string, objection: Objection): string | undefined => {
  for (const place of [...foldersOfLinks(path).map(realOf), realOf(path)]) {
    if (objection(place) === writable) return writable
  }
  return undefined
}

/** Shims of asdf and mise, and Volta's: no variable keeps them from what a file of the working folder says. */
const ledByWorkspace = /\/(?:\.asdf|mise)\/shims$|\/\.volta\/bin$/

const objectionToFolder = (folder: string, objection: Objection): string | undefined => {
  const real = realOf(folder)
  if (ledByWorkspace.test(real)) return 'runs the version that a file of the workspace names'
  const wrong = objectionToWay(folder, objection) ?? objection(real)
  if (wrong !== undefined) return wrong
  let names: readonly string[]
  try {
    names = readdirSync(real)
  } catch {
    return 'is not there'
  }
  if (names.length > maxPrograms) return `holds more than ${maxPrograms} files`
  for (const name of names) {
    const program = join(real, name)
    if (objectionToWay(program, objection) !== undefined)
      return `holds ${name}, which leads to what ${writable}`
    const interpreter = interpreterOf(program)
    if (interpreter !== undefined && objectionToWay(interpreter, objection) !== undefined) {
      return `holds ${name}, which is run by ${basename(interpreter)}, and that ${writable}`
    }
  }
  return undefined
}

/**
 * The PATH of hooks: the system's folders, Node's, then those of the PATH that hookgate was started with which no agent
 * can write, by their real names, so that no link stands in between. Looked at once: what an agent cannot write, it
 * cannot change later either.
 */
export const hookPathOf = (
  started: readonly string[],
  execPath: string,
  objection: Objection,
): Pick<HookWorld, 'path' | 'leftOut'> => {
  const own = [...systemFolders, dirname(execPath)]
  const known = new Set(own)
  const added: string[] = []
  const leftOut: { folder: string; why: string }[] = []
  for (const folder of [...new Set(started)].filter(isAbsolute).slice(0, maxFolders)) {
    const real = realOf(folder)
    if (known.has(folder) || known.has(real) || !existsSync(real)) continue
    known.add(real)
    // Two folders in one word, or an unreadable list of them.
    const wrong = /[:\0]/.test(real) ? 'has a colon in its name' : objectionToFolder(folder, objection)
    if (wrong === undefined) added.push(real)
    else leftOut.push({ folder, why: wrong })
  }
  return { path: [...own, ...added].join(':'), leftOut }
}
