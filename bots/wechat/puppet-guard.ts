import { ProblemError } from '../../src/model/problem.ts'
import { boxOf, type FileBytes } from './file.ts'
import { classOf, nestedInSends } from './methods.ts'

type Method = (this: unknown, ...args: unknown[]) => unknown

export interface PuppetGuard {
  /** The way out for a text: the puppet's own send, with neither mention list nor anything else. */
  sendText(chatId: string, text: string): Promise<unknown>
  /** The way out for a file: these bytes, as they are at this call, under this name. */
  sendFile(chatId: string, file: FileBytes): Promise<unknown>
}

/** Every method of the instance and its prototypes, the nearest first. Getters are left alone: calling them may have effects. */
const methodsOf = (puppet: object): ReadonlyMap<string, Method> => {
  const methods = new Map<string, Method>()
  for (
    let at: object | null = puppet;
    at !== null && at !== Object.prototype;
    at = Reflect.getPrototypeOf(at)
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value === 'function' && !methods.has(name)) methods.set(name, value as Method)
    }
  }
  return methods
}

/**
 * The puppet as its own sends see it: the calls that are nested in that send are open, all else is the closed puppet.
 * Whatever else it calls runs on the puppet itself, so that this opening is handed to no listener and to no later call.
 */
const insideOf = (puppet: object, open: ReadonlyMap<PropertyKey, Method>): object =>
  new Proxy(Object.create(Reflect.getPrototypeOf(puppet)) as object, {
    get: (_, name) => {
      const value: unknown = open.get(name) ?? Reflect.get(puppet, name)
      return typeof value === 'function' && !open.has(name) ? (value as Method).bind(puppet) : value
    },
    set: (_, name, value) => Reflect.set(puppet, name, value),
    has: (_, name) => Reflect.has(puppet, name),
  })

/**
 * Closes a puppet, in place and for good: every `say`, `forward`, `topic` … of wechaty ends in a method of this one object.
 * What is refused rejects, and is told to `tripped` first, because some of wechaty's callers swallow the rejection.
 * The original sends are handed out as values instead of being let through by a match, so there is no mark to forge or to reuse.
 * A puppet whose send is itself built on a guarded method of `this` that is not named as nested cannot send: it fails closed.
 * It guards against mistakes inside this process; whoever goes behind the puppet, to the client that it holds or to a second
 * puppet with the same login, does not pass it.
 */
export const closePuppet = (puppet: object, tripped: (method: string) => void): PuppetGuard => {
  const methods = methodsOf(puppet)
  const send = methods.get('messageSendText')
  if (send === undefined) {
    throw new ProblemError({
      code: 'wechat.puppet',
      message:
        'Expected "channels.wechat.puppet" to be a wechaty puppet, got something without the method "messageSendText".',
      fix: 'Name another package, or set it to none.',
    })
  }
  for (const [name, original] of methods) {
    const is = classOf(name)
    if (is === undefined || is === 'read' || is === 'own') continue
    const guarded: Method = function guarded(...args) {
      if (is !== 'out' && args[is] === undefined) return original.apply(this, args)
      tripped(name)
      const refused = Promise.reject(
        new Error(`Expected a send through the dispatcher, got a direct call of "${name}". Push it instead.`),
      )
      // A caller who does not wait for the answer would end the process with it.
      refused.catch(() => {})
      return refused
    }
    Object.defineProperty(puppet, name, { value: guarded, writable: false, configurable: false })
  }
  const nested = new Map<PropertyKey, Method>()
  for (const name of nestedInSends) {
    const method = methods.get(name)
    if (method !== undefined) nested.set(name, method)
  }
  const sender = nested.size === 0 ? puppet : insideOf(puppet, nested)
  const sendFile = methods.get('messageSendFile')
  return {
    sendText: async (chatId, text) => await send.call(sender, chatId, text),
    sendFile: async (chatId, file) => {
      if (sendFile === undefined)
        throw new TypeError('Expected a puppet that sends files, got one that does not.')
      return await sendFile.call(sender, chatId, boxOf(file))
    },
  }
}
