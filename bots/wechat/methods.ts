import type { impls } from 'wechaty-puppet'
import type { LibraryMethods } from '../../src/core/model/chat/channel.ts'

/**
 * - `out`: the method can send something. It is refused, except for the two sends that `closePuppet` returns.
 * - `read` and `own`: the method is free.
 * - A number: the method is refused when it gets a value for the argument at this position, from 0 on.
 */
export type PuppetClass = 'out' | 'read' | 'own' | number

/** The names of the methods of a type. */
type MethodOf<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T]

/**
 * Every method of wechaty's puppet. A method that an upgrade adds fails the type check here until somebody
 * gives it a class.
 */
const table = {
  // These send something to other people, or change chats and contacts. The searches give a chosen text to a
  // foreign service.
  messageSend: 'out',
  messageSendText: 'out',
  messageSendFile: 'out',
  messageSendContact: 'out',
  messageSendLocation: 'out',
  messageSendMiniProgram: 'out',
  messageSendPost: 'out',
  messageSendUrl: 'out',
  messageForward: 'out',
  messageRecall: 'out',
  postPublish: 'out',
  tap: 'out',
  contactCorporationRemark: 'out',
  contactDescription: 'out',
  contactSelfName: 'out',
  contactSelfSignature: 'out',
  friendshipAccept: 'out',
  friendshipAdd: 'out',
  friendshipSearch: 'out',
  friendshipSearchHandle: 'out',
  friendshipSearchPhone: 'out',
  friendshipSearchWeixin: 'out',
  roomAdd: 'out',
  roomCreate: 'out',
  roomDel: 'out',
  roomInvitationAccept: 'out',
  roomQuit: 'out',
  tagContactAdd: 'out',
  tagContactDelete: 'out',
  tagContactRemove: 'out',

  // These write when they get a value, and read without one.
  contactAlias: 1,
  contactAvatar: 1,
  contactPhone: 1,
  conversationReadMark: 1,
  roomAnnounce: 1,
  roomTopic: 1,

  // A puppet that runs as a remote service sends the value to that service.
  ding: 0,

  // These read.
  contactList: 'read',
  contactPayload: 'read',
  contactPayloadCache: 'read',
  contactPayloadDirty: 'read',
  contactQueryFilterFactory: 'read',
  contactRawPayload: 'read',
  contactRawPayloadParser: 'read',
  contactSearch: 'read',
  contactSelfQRCode: 'read',
  contactValidate: 'read',
  friendshipPayload: 'read',
  friendshipPayloadCache: 'read',
  friendshipPayloadDirty: 'read',
  friendshipRawPayload: 'read',
  friendshipRawPayloadParser: 'read',
  messageContact: 'read',
  messageFile: 'read',
  messageImage: 'read',
  messageList: 'read',
  messageLocation: 'read',
  messageMiniProgram: 'read',
  messagePayload: 'read',
  messagePayloadCache: 'read',
  messagePayloadDirty: 'read',
  messageQueryFilterFactory: 'read',
  messageRawPayload: 'read',
  messageRawPayloadParser: 'read',
  messageSearch: 'read',
  messageUrl: 'read',
  postList: 'read',
  postPayload: 'read',
  postPayloadCache: 'read',
  postPayloadDirty: 'read',
  postRawPayload: 'read',
  postRawPayloadParser: 'read',
  postSearch: 'read',
  roomAvatar: 'read',
  roomInvitationPayload: 'read',
  roomInvitationPayloadCache: 'read',
  roomInvitationRawPayload: 'read',
  roomInvitationRawPayloadParser: 'read',
  roomList: 'read',
  roomMemberList: 'read',
  roomMemberPayload: 'read',
  roomMemberPayloadDirty: 'read',
  roomMemberRawPayload: 'read',
  roomMemberRawPayloadParser: 'read',
  roomMemberSearch: 'read',
  roomPayload: 'read',
  roomPayloadCache: 'read',
  roomPayloadDirty: 'read',
  roomQRCode: 'read',
  roomQueryFilterFactory: 'read',
  roomRawPayload: 'read',
  roomRawPayloadParser: 'read',
  roomSearch: 'read',
  roomValidate: 'read',
  sayablePayload: 'read',
  tagContactList: 'read',
  tapSearch: 'read',

  // These belong to the puppet itself: start, login, storage and events.
  __dirtyPayloadAwait: 'own',
  addListener: 'own',
  dirtyPayload: 'own',
  emit: 'own',
  eventNames: 'own',
  getMaxListeners: 'own',
  listenerCount: 'own',
  listeners: 'own',
  login: 'own',
  logonoff: 'own',
  logout: 'own',
  name: 'own',
  off: 'own',
  on: 'own',
  onDirty: 'own',
  onStart: 'own',
  onStop: 'own',
  once: 'own',
  prependListener: 'own',
  prependOnceListener: 'own',
  rawListeners: 'own',
  removeAllListeners: 'own',
  removeListener: 'own',
  reset: 'own',
  selfId: 'own',
  setMaxListeners: 'own',
  setMemory: 'own',
  start: 'own',
  stop: 'own',
  toString: 'own',
  version: 'own',
  wechatyVersionRange: 'own',
  wrapAsync: 'own',
} as const satisfies Record<MethodOf<impls.PuppetAbstract>, PuppetClass>

export const methodNames: readonly string[] = Object.keys(table)

/**
 * Methods that the two sends of a known puppet call on the puppet itself. `_messageSend` is
 * wechaty-puppet-mock's. These methods reach people, so only the two sends may call them.
 */
export const nestedInSends = ['_messageSend'] as const

/**
 * Names of a puppet's own methods that may reach people. All of them are refused, because nobody has checked
 * them.
 */
const outward =
  /^_*(contact|conversation|forward|friendship|message|moment|post|publish|reply|room|say|send|tag|tap)/

/**
 * The class of a method. Undefined for a method that the table does not name and whose name does not suggest
 * a send.
 */
export const classOf = (name: string): PuppetClass | undefined =>
  Object.hasOwn(table, name) ? table[name as keyof typeof table] : outward.test(name) ? 'out' : undefined

export type Method = (this: unknown, ...args: unknown[]) => unknown

/**
 * The methods of an instance and its prototypes. Getters are ignored, because calling them may have effects.
 */
export const methodsOf = (puppet: object): ReadonlyMap<string, Method> => {
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

/** The names of all refused methods: those of the table, and those of this puppet and its prototypes. */
export const closedNames = (puppet: object): readonly string[] =>
  [...new Set([...methodNames, ...methodsOf(puppet).keys()])].filter(
    (name) => classOf(name) === 'out' || typeof classOf(name) === 'number',
  )

/** The bot sends judged messages with these methods. */
const sendMethods = ['messageSendText', 'messageSendFile']

/** Compares a puppet with the table. Methods of its own that may reach people are refused. */
export const libraryMethods = (puppet: object): LibraryMethods => {
  const closed = closedNames(puppet)
  return {
    refused: closed.length - sendMethods.length,
    unnamed: closed.filter((name) => !Object.hasOwn(table, name)),
  }
}
