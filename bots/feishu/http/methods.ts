import type { Client } from '@larksuiteoapi/node-sdk'

/**
 * - `free`: the bot itself needs the method. The exit allows only requests that cannot carry an agent's text.
 * - `minted`: the method sends a form of a push. The exit allows only a request that `deliver` minted.
 * - `never`: the exit refuses the method. Code that needs it has to change its class here and say which
 *   requests it may have.
 */
export type MethodClass = 'free' | 'minted' | 'never'

type NamesIn<T> = {
  [Part in keyof T & string]: { [Name in keyof T[Part] & string]: `${Part}.${Name}` }[keyof T[Part] & string]
}[keyof T & string]
type Im = Client['im']

/**
 * Every method of the SDK that is about messages and chats. A method that an upgrade adds fails the type
 * check here until somebody gives it a class. All other families of the SDK (mail, documents, calendars and
 * so on) are refused as a whole.
 */
export const methods = {
  // The bot itself needs these.
  'v1.message.get': 'free',
  'v1.messageResource.get': 'free',
  'v1.pin.list': 'free',
  'v1.chat.get': 'free',
  'v1.chatMembers.get': 'free',

  // These send a form of a push or pin a notice.
  'v1.message.create': 'minted',
  'v1.message.update': 'minted',
  'v1.message.patch': 'minted',
  'v1.messageReaction.create': 'minted',
  'v1.image.create': 'minted',
  'v1.file.create': 'minted',
  'v1.pin.create': 'minted',
  'v1.pin.delete': 'minted',

  // These can carry a text or a file, and no form of a push uses them.
  'v1.message.reply': 'never',
  'v1.message.forward': 'never',
  'v1.message.mergeForward': 'never',
  'v1.message.pushFollowUp': 'never',
  'v1.message.replyByCard': 'never',
  'v1.message.createByCard': 'never',
  'v1.message.updateByCard': 'never',
  'v1.thread.forward': 'never',
  'v2.urlPreview.batchUpdate': 'never',
  'v2.appFeedCard.create': 'never',
  'v2.appFeedCardBatch.update': 'never',
  'v2.feedCard.patch': 'never',
  'v2.feedCard.botTimeSentive': 'never',
  'v2.chatButton.update': 'never',

  // These ring, call or write to a phone.
  'v1.message.urgentApp': 'never',
  'v1.message.urgentPhone': 'never',
  'v1.message.urgentSms': 'never',

  // These delete messages or reactions.
  'v1.message.delete': 'never',
  'v1.batchMessage.delete': 'never',
  'v1.messageReaction.delete': 'never',
  'v2.appFeedCardBatch.delete': 'never',

  // These read more than hookgate needs.
  'v1.message.list': 'never',
  'v1.message.listWithIterator': 'never',
  'v1.message.search': 'never',
  'v1.message.searchWithIterator': 'never',
  'v1.message.readUsers': 'never',
  'v1.batchMessage.readUser': 'never',
  'v1.batchMessage.getProgress': 'never',
  'v1.messageReaction.list': 'never',
  'v1.messageReaction.listWithIterator': 'never',
  'v1.messageReaction.batchQuery': 'never',
  'v1.pin.listWithIterator': 'never',
  'v1.image.get': 'never',
  'v1.file.get': 'never',
  'v1.chat.list': 'never',
  'v1.chat.listWithIterator': 'never',
  'v1.chat.search': 'never',
  'v1.chat.searchWithIterator': 'never',
  'v2.chat.search': 'never',
  'v2.chat.searchWithIterator': 'never',
  'v1.chatMembers.getWithIterator': 'never',
  'v1.chatMembers.isInChat': 'never',
  'v1.chatModeration.get': 'never',
  'v1.chatModeration.getWithIterator': 'never',
  'v1.chatTab.listTabs': 'never',
  'v1.chatAnnouncement.get': 'never',
  'v1.chatMenuTree.get': 'never',
  'v2.bizEntityTagRelation.get': 'never',

  // These change a chat and its members.
  'v1.chat.create': 'never',
  'v1.chat.update': 'never',
  'v1.chat.delete': 'never',
  'v1.chat.link': 'never',
  'v1.chatMembers.create': 'never',
  'v1.chatMembers.delete': 'never',
  'v1.chatMembers.meJoin': 'never',
  'v1.chatManagers.addManagers': 'never',
  'v1.chatManagers.deleteManagers': 'never',
  'v1.chatModeration.update': 'never',
  'v1.chatTab.create': 'never',
  'v1.chatTab.updateTabs': 'never',
  'v1.chatTab.sortTabs': 'never',
  'v1.chatTab.deleteTabs': 'never',
  'v1.chatTopNotice.putTopNotice': 'never',
  'v1.chatTopNotice.deleteTopNotice': 'never',
  'v1.chatAnnouncement.patch': 'never',
  'v1.chatMenuTree.create': 'never',
  'v1.chatMenuTree.sort': 'never',
  'v1.chatMenuTree.delete': 'never',
  'v1.chatMenuItem.patch': 'never',
  'v2.tag.create': 'never',
  'v2.tag.patch': 'never',
  'v2.bizEntityTagRelation.create': 'never',
  'v2.bizEntityTagRelation.update': 'never',
} as const satisfies Record<`v1.${NamesIn<Im['v1']>}` | `v2.${NamesIn<Im['v2']>}`, MethodClass>

type Methods = typeof methods
type Used = { [M in keyof Methods]: Methods[M] extends 'never' ? never : M }[keyof Methods]

/** A request is allowed only when its verb and its path have one of these forms. `:id` stands for one id. */
export const routes = {
  'v1.message.get': 'GET /open-apis/im/v1/messages/:id',
  'v1.messageResource.get': 'GET /open-apis/im/v1/messages/:id/resources/:id',
  'v1.pin.list': 'GET /open-apis/im/v1/pins',
  'v1.chat.get': 'GET /open-apis/im/v1/chats/:id',
  'v1.chatMembers.get': 'GET /open-apis/im/v1/chats/:id/members',
  'v1.message.create': 'POST /open-apis/im/v1/messages',
  'v1.message.update': 'PUT /open-apis/im/v1/messages/:id',
  'v1.message.patch': 'PATCH /open-apis/im/v1/messages/:id',
  'v1.messageReaction.create': 'POST /open-apis/im/v1/messages/:id/reactions',
  'v1.image.create': 'POST /open-apis/im/v1/images',
  'v1.file.create': 'POST /open-apis/im/v1/files',
  'v1.pin.create': 'POST /open-apis/im/v1/pins',
  'v1.pin.delete': 'DELETE /open-apis/im/v1/pins/:id',
  token: 'POST /open-apis/auth/v3/tenant_access_token/internal',
  socket: 'POST /callback/ws/endpoint',
  'bot.info': 'GET /open-apis/bot/v3/info',
  'contact.user.get': 'GET /open-apis/contact/v3/users/:id',
} as const satisfies Record<Used | 'token' | 'socket' | 'bot.info' | 'contact.user.get', string>

export type RouteName = keyof typeof routes
/** The routes that send what people see. */
export type MintedRoute = { [M in keyof Methods]: Methods[M] extends 'minted' ? M : never }[keyof Methods]

export const isMinted = (name: RouteName): name is MintedRoute =>
  Object.hasOwn(methods, name) && methods[name as keyof Methods] === 'minted'

/** The form of every id of Feishu. It cannot carry a sentence. */
export const idForm = /^[A-Za-z0-9_-]{1,128}$/

const patterns = (Object.keys(routes) as readonly RouteName[]).map((name) => ({
  name,
  pattern: new RegExp(
    `^${routes[name].replaceAll('.', String.raw`\.`).replaceAll(':id', '([A-Za-z0-9_-]{1,128})')}$`,
  ),
}))

/** A request by its route, with the ids in its path. */
export interface Routed {
  readonly name: RouteName
  readonly ids: readonly string[]
}

/** The route of a request. Undefined when none has this verb and path. `path` is without a query. */
export const routeOf = (verb: string, path: string): Routed | undefined => {
  for (const { name, pattern } of patterns) {
    const [whole, ...ids] = pattern.exec(`${verb} ${path}`) ?? []
    if (whole !== undefined) return { name, ids }
  }
  return undefined
}
