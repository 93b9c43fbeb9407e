import type { impls } from 'wechaty-puppet'
import type { InboundFile } from '../../src/model/channel.ts'
import { got, ProblemError } from '../../src/model/problem.ts'

/** What our own puppet does beside: it holds a message back until it is kept, knows all of its files, and shows that somebody types. */
export type Puppet = impls.PuppetInterface & {
  kept?(messageId: string, what: unknown): void
  files?(messageId: string): readonly InboundFile[]
  typing?(chatId: string, isWorking: boolean): void
}

/** A package name as npm allows it; never a path or a URL. */
const PACKAGE = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/

type PuppetClass = new (options: object) => object

const isClass = (value: unknown): value is PuppetClass => typeof value === 'function'

/** The class that a puppet package exports: as its default, in CommonJS as the default of that, else as a `Puppet…`. */
const classIn = (module: Readonly<Record<string, unknown>>): PuppetClass | undefined => {
  const inner = (module.default as { readonly default?: unknown } | undefined)?.default
  return [
    inner,
    module.default,
    ...Object.entries(module).map(([name, value]) => (/^Puppet\w/.test(name) ? value : undefined)),
  ].find(isClass)
}

/** True where Node found no such package, or none of a package that it needs. */
export const isNotInstalled = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | undefined)?.code === 'ERR_MODULE_NOT_FOUND'

/** Throws a ProblemError. It never falls back to another puppet than the one that was named. */
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
        `Run "npm install ${puppet}" where hookgate is installed, then restart.`,
      )
    throw problem(', which could not be loaded', 'Install it again, then restart.')
  })
  const found = classIn(module as Readonly<Record<string, unknown>>)
  if (found === undefined)
    throw problem(', which exports no puppet', 'Name another package, or set it to none.')
  return new found({})
}
