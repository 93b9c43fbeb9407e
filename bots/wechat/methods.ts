import type { impls } from 'wechaty-puppet'
import type { LibraryMethods } from '../../src/model/channel.ts'

/**
 * `out`: refused but for the two ways that `closePuppet` hands out. `read` and `own`: free.
 * A number: free until a value stands at that place among its arguments.
 */
export type PuppetClass = 'out' | 'read' | 'own' | number

/** The names of what can be called. */
type MethodOf<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T]

/** Every method of wechaty's puppet. One that an upgrade brings fails the type check here until somebody has read what it does. */
const table = {
  // Ways out: what others read, hear or see, and what changes their chats and contacts. Also what hands a chosen text to a stranger's search.
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

  // With a value they write.
  contactAlias: 1,
  contactAvatar: 1,
  contactPhone: 1,
  conversationReadMark: 1,
  roomAnnounce: 1,
  roomTopic: 1,

  // A puppet that is a service elsewhere takes the value there.
  ding: 0,

  // Reads.
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

  // The puppet's own life: it starts, logs in, remembers and tells its listeners.
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

/** What the sends of a text and of a file call on the puppet itself in a known puppet, one by one: wechaty-puppet-mock's. It reaches people, so it is closed to everybody else. */
export const nestedInSends = ['_messageSend'] as const

/** What reaches people in a puppet that brings methods of its own. Everything is refused in it, because nobody has read it. */
const outward =
  /^_*(contact|conversation|forward|friendship|message|moment|post|publish|reply|room|say|send|tag|tap)/

/** Undefined for a method that is a puppet's own and has no name of a way out. */
export const classOf = (name: string): PuppetClass | undefined =>
  Object.hasOwn(table, name) ? table[name as keyof typeof table] : outward.test(name) ? 'out' : undefined

/** What is closed in every puppet, and in this one: its own methods and those of its prototypes. */
export const closedNames = (puppet: object): readonly string[] => {
  const names = new Set(Object.keys(table))
  for (
    let at: object | null = puppet;
    at !== null && at !== Object.prototype;
    at = Reflect.getPrototypeOf(at)
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function') names.add(name)
  }
  return [...names].filter((name) => classOf(name) === 'out' || typeof classOf(name) === 'number')
}

/** The bot itself sends judged messages with these. */
const carriers = ['messageSendText', 'messageSendFile']

/** How a puppet compares with the table. What it has of its own and what reaches people is refused. */
export const libraryMethods = (puppet: object): LibraryMethods => {
  const closed = closedNames(puppet)
  return {
    refused: closed.length - carriers.length,
    unnamed: closed.filter((name) => !Object.hasOwn(table, name)),
  }
}
