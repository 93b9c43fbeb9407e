import { ProblemError } from '../../src/core/model/gate/problem.ts'
import { boxOf, type FileBytes } from './file.ts'
import { classOf, methodsOf, nestedInSends, type Method } from './methods.ts'

export interface PuppetGuard {
  /** Sends a text with the puppet's own method. It passes no list of mentions and no other value. */
  sendText(chatId: string, text: string): Promise<unknown>
  /** Sends a file. The bytes are copied at the call. */
  sendFile(chatId: string, file: FileBytes): Promise<unknown>
}

/**
 * The puppet as its own sends see it. The methods of `open` are the original ones here. All other methods run
 * on the closed puppet itself, so listeners and later calls never get the open methods.
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
 * Replaces the sending methods of a puppet by methods that refuse, permanently. Every `say`, `forward` or
 * `topic` of
 * wechaty calls a method of this object. A refused call is first reported to `tripped`, because some callers
 * in wechaty
 * ignore the rejection. Then it rejects.
 *
 * The two original sends are returned as values, so there is no mark that other code could forge or reuse. A
 * puppet whose
 * send calls another guarded method of `this` cannot send, unless that method is listed in `nestedInSends`.
 *
 * The guard protects against mistakes inside this process. It does not see code that uses the puppet's inner
 * client or a
 * second puppet with the same login.
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
        new Error(
          `Expected a send through the dispatcher, got a direct call of "${name}". Send a push instead.`,
        ),
      )
      // A caller may ignore the promise. Without this, the unhandled rejection would end the process.
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
        throw new TypeError('Expected a puppet that can send files, got one that cannot.')
      return await sendFile.call(sender, chatId, boxOf(file))
    },
  }
}
