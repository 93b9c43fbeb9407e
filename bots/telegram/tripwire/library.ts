import { Api } from 'grammy'
import type { LibraryMethods } from '../../../src/core/model/chat/channel.ts'
import { methods } from './methods.ts'

/** The members of grammY's class `Api` that are not methods of the Bot API. */
const notCalls: readonly string[] = ['constructor', 'token', 'raw', 'config', 'transformers']
/** grammY gives some methods several names with these endings, one for each kind of target. */
const variants = /(?:Inline|ToChannel|(?<=Reactions?)(?:User|Chat))$/

/** The names of all methods of the Bot API that the installed grammY knows. */
export const apiMethods = (): ReadonlySet<string> =>
  new Set(
    Object.getOwnPropertyNames(Api.prototype)
      .filter((name) => !notCalls.includes(name))
      .map((name) => name.replace(variants, '')),
  )

/** Counts the methods of the installed grammY that are not in methods.ts. */
export const libraryMethods = (): LibraryMethods => ({
  refused: apiMethods().size - Object.keys(methods).length,
})
