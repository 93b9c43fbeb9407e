import { Api } from 'grammy'
import type { LibraryMethods } from '../../../src/model/chat/channel.ts'
import { methods, type MethodClass } from './methods.ts'

/** The members of grammY's class `Api` that are not methods of the Bot API. */
const notCalls: readonly string[] = ['constructor', 'token', 'raw', 'config', 'transformers']
/** grammY gives some methods several names with these endings, one for each kind of target. */
const variants = /(Inline|User|Chat|ToChannel)$/

const isInTable = (name: string): boolean =>
  Object.hasOwn(methods, name) || Object.hasOwn(methods, name.replace(variants, ''))

/** Compares the methods of the installed grammY with the table in methods.ts. */
export const libraryMethods = (): LibraryMethods => ({
  refused: Object.values<MethodClass>(methods).filter((one) => one === 'never').length,
  unnamed: Object.getOwnPropertyNames(Api.prototype).filter(
    (name) => !notCalls.includes(name) && !isInTable(name),
  ),
})
