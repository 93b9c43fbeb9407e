import { Api } from 'grammy'
import type { LibraryMethods } from '../../src/model/channel.ts'
import { methods, type MethodClass } from './methods.ts'

/** What grammY's own class has beside the methods of the Bot API. */
const notCalls: readonly string[] = ['constructor', 'token', 'raw', 'config', 'transformers']
/** grammY calls some methods by several names, one for each way to say whom they are about. */
const variants = /(Inline|User|Chat|ToChannel)$/

const classed = (name: string): boolean =>
  Object.hasOwn(methods, name) || Object.hasOwn(methods, name.replace(variants, ''))

/** How the installed grammY compares with the table. */
export const libraryMethods = (): LibraryMethods => ({
  refused: Object.values<MethodClass>(methods).filter((one) => one === 'never').length,
  unnamed: Object.getOwnPropertyNames(Api.prototype).filter(
    (name) => !notCalls.includes(name) && !classed(name),
  ),
})
