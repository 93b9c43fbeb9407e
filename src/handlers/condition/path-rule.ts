import { posix } from 'node:path'
import { linear } from './glob.ts'
import type { TextTest } from './call.ts'

const { dirname, resolve } = posix

export interface RuleLocation {
  readonly workspace: string
  /** The file that defines the hook: relative to the workspace, or absolute. */
  readonly origin: string
}

/** The usual locations of home folders. It is not known here which of them the agent means by `~`. */
const homes = /^\/(?:root|(?:home|Users|srv|var\/lib|var\/home)\/[^/]+)\//

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/** Translates a gitignore pattern into a regular expression; undefined when it is not supported. */
const regexpOf = (pattern: string): string | undefined => {
  let isUnread = false
  const regexp = pattern.replaceAll(/\\[^]|\*\*\/|\/\*\*$|\*+|\[[^\]/\\]+\]|[^]/g, (token, at: number) => {
    if (token === '**/') return at === 0 || pattern[at - 1] === '/' ? '(?:.*/)?' : '[^/]*/'
    if (token === '/**') return '(?:/.*)?'
    if (token.startsWith('*')) return pattern === '**' ? '.*' : '[^/]*'
    if (token === '?') return '[^/]'
    if (token.startsWith('[') && token.length > 1) {
      return `[${token
        .slice(1, -1)
        .replace(/^!/, '^')
        .replaceAll('[', String.raw`\[`)}]`
    }
    isUnread ||= token === '[' || token === '\\'
    return escaped(token.length === 2 ? token.slice(1) : token)
  })
  return isUnread ? undefined : regexp
}

/** The folders to which the pattern is relative. */
const basesOf = (anchor: string, { workspace, origin }: RuleLocation) => {
  const settings = dirname(resolve(workspace, origin))
  // In a person's own settings, paths are relative to the folder of that file; in a project's, to the folder
  // above it.
  const project = origin.startsWith('/') ? [settings, dirname(settings)] : [dirname(settings)]
  return (cwd: string): readonly string[] => {
    if (anchor === '//') return ['/']
    if (anchor === '~/') return origin.startsWith('/') ? [dirname(settings)] : []
    return anchor === '/' ? project : [cwd, workspace]
  }
}

const behind = (base: string, path: string): string | undefined => {
  const folder = base.endsWith('/') ? base : `${base}/`
  return path.startsWith(folder) ? path.slice(folder.length) : undefined
}

/**
 * A rule for paths in Claude Code's four forms: `//absolute`, `~/home`, `/from the settings`, and relative to
 * the folder of the event. Letter case is ignored, as in Claude Code. Links are not followed, because the
 * gate opens no file for a rule.
 */
export const pathRule = (rule: string, location: RuleLocation) => {
  const anchor = /^(?:\/\/|~\/|\/|\.\/)/.exec(rule)?.[0] ?? ''
  const rest = rule.slice(anchor.length).replace(/\/$/, '')
  const regexp = rule.startsWith('!') || rest === '' ? undefined : regexpOf(rest)
  const isAnywhere = anchor === '' && !rest.includes('/')
  const pattern =
    regexp === undefined
      ? undefined
      : linear(String.raw`(?is)\A${isAnywhere ? '(?:.*/)?' : ''}${regexp}(?:/.*)?\z`)
  const bases = basesOf(anchor, location)
  return (path: string, cwd: string, fits: TextTest): boolean => {
    if (pattern === undefined) return true
    const full = path.startsWith('~/') ? resolve('/root', path.slice(2)) : resolve(cwd, path)
    const inside = bases(cwd).map((base) => behind(resolve('/', base), full))
    const atHome = anchor === '~/' && homes.test(full) ? full.replace(homes, '') : undefined
    return [...inside, atHome].some((one) => one !== undefined && fits(pattern, one))
  }
}
