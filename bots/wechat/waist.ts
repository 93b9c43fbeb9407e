import { ProblemError } from '../../src/model/problem.ts'

/** The families of puppet methods that reach other people. In them everything is refused that is not known to be a read. */
const OUTWARD = /^(contact|conversation|friendship|message|moment|post|room|tag|tap)/

/** Reads, as wechaty-puppet 1.21 names them. A name that is new here is refused and recorded, so that it gets noticed. */
const READS = [
  /^(contact|friendship|message|post|room|roomInvitation|roomMember)(Raw)?Payload(Parser|Cache|Dirty)?$/,
  /^(contact|message|post|room|roomMember|tagContact)List$/,
  /^(contact|friendship|message|post|room|roomMember|tap)Search(Phone|Weixin)?$/,
  /^(contact|message|room)(Validate|QueryFilterFactory)$/,
  /^message(Contact|File|Image|Location|MiniProgram|Url)$/,
  /^(contactSelf|room)QRCode$/,
  /^roomAvatar$/,
]

/** These read when they are given an id alone, and write when a value follows it. */
const READS_WITHOUT_A_VALUE = /^(contactAlias|contactAvatar|contactPhone|conversationReadMark|roomAnnounce|roomTopic)$/

type Method = (this: unknown, ...args: unknown[]) => unknown

export interface Waist {
  /** The one way out: the puppet's own text send, with neither mention list nor anything else. */
  sendText(chatId: string, text: string): Promise<unknown>
}

/** Every method of the instance and its prototypes, the nearest first. Getters are left alone: calling them may have effects. */
const methodsOf = (puppet: object): ReadonlyMap<string, Method> => {
  const methods = new Map<string, Method>()
  for (let at: object | null = puppet; at !== null && at !== Object.prototype; at = Reflect.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value === 'function' && !methods.has(name)) methods.set(name, value as Method)
    }
  }
  return methods
}

/**
 * Closes a puppet, in place and for good: every `say`, `forward`, `topic` … of wechaty ends in a method of this one object.
 * What is refused rejects, and is told to `tripped` first, because some of wechaty's callers swallow the rejection.
 * The original send is handed out as a value instead of being let through by a match, so there is no mark to forge or to reuse.
 * A puppet whose text send is itself built on another guarded method of `this` cannot send: it fails closed.
 */
export const closePuppet = (puppet: object, tripped: (method: string) => void): Waist => {
  const methods = methodsOf(puppet)
  const send = methods.get('messageSendText')
  if (send === undefined) {
    throw new ProblemError({
      code: 'wechat.puppet',
      message: 'Expected "channels.wechat.puppet" to be a wechaty puppet, got something without the method "messageSendText".',
      fix: 'Name another package, or set it to none.',
    })
  }
  for (const [name, original] of methods) {
    if (!OUTWARD.test(name) || READS.some((read) => read.test(name))) continue
    const guarded: Method = function guarded(...args) {
      if (READS_WITHOUT_A_VALUE.test(name) && args[1] === undefined) return original.apply(this, args)
      tripped(name)
      return Promise.reject(new Error(`Expected a send through the dispatcher, got a direct call of "${name}". Push it instead.`))
    }
    Object.defineProperty(puppet, name, { value: guarded, writable: false, configurable: false })
  }
  return { sendText: async (chatId, text) => await send.call(puppet, chatId, text) }
}
