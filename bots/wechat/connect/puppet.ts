import type { impls } from 'wechaty-puppet'
import type { InboundFile } from '../../../src/core/model/chat/channel.ts'
import { got, ProblemError } from '../../../src/core/model/gate/problem.ts'

/**
 * A wechaty puppet. The four optional methods exist in hookgate's own puppet only: it confirms stored
 * messages, gives all files of a message, shows the typing sign, and counts the messages that are left.
 */
export type Puppet = impls.PuppetInterface & {
  kept?(messageId: string, what: unknown): void
  files?(messageId: string): readonly InboundFile[]
  typing?(chatId: string, isWorking: boolean): void
  left?(chatId: string): number | undefined
}

/** The form of an npm package name. It matches neither a path nor a URL. */
const PACKAGE = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/

type PuppetClass = new (options: object) => object

const isClass = (value: unknown): value is PuppetClass => typeof value === 'function'

/**
 * The puppet class of a package. It is the default export, the default inside the default export (a CommonJS
 * package), or an export whose name begins with `Puppet`.
 */
const classIn = (module: Readonly<Record<string, unknown>>): PuppetClass | undefined => {
  const inner = (module.default as { readonly default?: unknown } | undefined)?.default
  return [
    inner,
    module.default,
    ...Object.entries(module).map(([name, value]) => (/^Puppet\w/.test(name) ? value : undefined)),
  ].find(isClass)
}

/** True when Node did not find the package or one of its dependencies. */
export const isNotInstalled = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | undefined)?.code === 'ERR_MODULE_NOT_FOUND'

/**
 * Finds the puppet of gate.yaml. Throws a ProblemError when it cannot be used. It never falls back to another
 * puppet.
 */
export const findPuppet = async (puppet: string | object): Promise<object> => {
  if (typeof puppet !== 'string') return puppet
  const problem = (what: string, fix: string): ProblemError =>
    new ProblemError({
      code: 'wechat.puppet',
      message: `Expected "channels.wechat.puppet" to name an installed npm package with a wechaty puppet, got ${got(puppet)}${what}.`,
      fix,
    })
  if (!PACKAGE.test(puppet)) throw problem('', 'Name a package, or set it to none.')
  const module: unknown = await import(puppet).catch((error: unknown) => {
    if (isNotInstalled(error))
      throw problem(
        ', which is not installed',
        `Run "npm install --global ${puppet}" (in a clone: npm install --no-save --prefix bots/wechat ${puppet}), then restart.`,
      )
    throw problem(', which could not be loaded', 'Install it again, then restart.')
  })
  const found = classIn(module as Readonly<Record<string, unknown>>)
  if (found === undefined)
    throw problem(', which exports no puppet', 'Name another package, or set it to none.')
  return new found({})
}
