import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestOptions } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** What this machine lacks of what the test needs. A reporter names it at the end. */
    lacks?: readonly string[]
  }
}

/** Where hooks find programs. A program of the person's home is no program of theirs. */
const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** A PATH on which a test, too, finds what hooks find. */
export const withFolders = (path: string | undefined): string => [path ?? [], folders].flat().join(delimiter)

const isProgram = (name: string): boolean =>
  folders.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

const root = join(import.meta.dirname, '..')

/** What a test can need beside a program of that name. */
const others: Readonly<Record<string, () => boolean>> = {
  root: () => process.getuid?.() === 0,
  Linux: () => process.platform === 'linux',
  wechaty: () => existsSync(join(root, 'bots/wechat/node_modules/wechaty')),
  chromium: () => existsSync(process.env['CHROMIUM'] ?? '/usr/bin/chromium'),
}

export const isHere = (name: string): boolean => (others[name] ?? (() => isProgram(name)))()

/**
 * The options of a test, or of a group of tests, that needs programs which not every machine has: without
 * them it is left out, and the end of the run names it. With `CI=true` nothing is left out, so that what is
 * missing is a failure there.
 */
export const needs = (...names: readonly string[]): TestOptions => {
  const lacks = names.filter((name) => !isHere(name))
  return lacks.length === 0 || process.env['CI'] === 'true' ? {} : { skip: true, meta: { lacks } }
}

/** The tests of WeChat cannot even be loaded without its library. */
export const leavesOutWechat = !isHere('wechaty') && process.env['CI'] !== 'true'
export const wechatTests = 'test/bots/wechat'
