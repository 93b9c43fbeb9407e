import { closeSync, constants, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { systemFolders, type HookWorld } from '../shared/hooks/hook-world.ts'
import { changeableBy } from './users/permissions.ts'
import { canChange, foldersAbove, foldersOfLinks, isUnder, realOf } from './paths.ts'
import type { Account } from './users/accounts.ts'
import type { Mount } from './sandbox/mounts.ts'

/** Returns why hooks may not run programs at a path, as a clause; undefined when they may. */
export type Objection = (real: string) => string | undefined

const maxFolders = 64
const maxPrograms = 4000
const maxHeadBytes = 256

const writable = 'an agent can write'

/**
 * The rule where agent and hooks have their own users: no agent or hook may change the path, and hooks must
 * be able to enter it.
 */
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

/**
 * The rule in a sandbox: the path is mounted read-only for the agent, or this user cannot change it outside
 * the sandbox either.
 */
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

/**
 * The rule without separation: the agent runs as the gate's own user and can replace whatever that user can.
 */
export const objectionOfNone: Objection = (real) =>
  [...foldersAbove(real), real].some(canChange) ? writable : undefined

/** Returns the interpreter if the first line of a script names it by a full path. */
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
    // A file that cannot be read here cannot be run as a script, or it is not a file.
    return undefined
  }
}

/**
 * Checks a path and all links on it: an agent that can change one of the links can lead the path elsewhere.
 */
const objectionToWay = (path: string, objection: Objection): string | undefined => {
  for (const place of [...foldersOfLinks(path).map(realOf), realOf(path)]) {
    if (objection(place) === writable) return writable
  }
  return undefined
}

/**
 * The shims of asdf, mise and Volta choose a version by a file in the working folder, and no variable
 * prevents that.
 */
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
 * Builds the PATH of hooks: the system's folders, Node's folder, then the folders of the gate's PATH that no
 * agent can write. They are resolved to their real paths, so that no link lies on them. One check at the
 * start is enough: an agent cannot change later what it cannot write now.
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
    // A colon would split the name into two folders.
    const wrong = /[:\0]/.test(real) ? 'has a colon in its name' : objectionToFolder(folder, objection)
    if (wrong === undefined) added.push(real)
    else leftOut.push({ folder, why: wrong })
  }
  return { path: [...own, ...added].join(':'), leftOut }
}
