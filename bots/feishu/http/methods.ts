/**
 * The requests that the bot needs, by the SDK's names of those about messages and chats. A request is allowed
 * only when its verb and its path have one of these forms, and so none that an upgrade brings. `:id` stands
 * for one id.
 */
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
} as const

export type RouteName = keyof typeof routes

/**
 * The routes that send what people see. The exit allows only a request that `deliver` minted. The bot itself
 * needs the other routes, and the exit allows only requests that cannot carry an agent's text there.
 */
const minted = [
  'v1.message.create',
  'v1.message.update',
  'v1.message.patch',
  'v1.messageReaction.create',
  'v1.image.create',
  'v1.file.create',
  'v1.pin.create',
  'v1.pin.delete',
] as const satisfies readonly RouteName[]
export type MintedRoute = (typeof minted)[number]

export const isMinted = (name: RouteName): name is MintedRoute => minted.some((one) => one === name)

/** The form of every id of Feishu. It cannot carry a sentence. */
export const idForm = /^[A-Za-z0-9_-]{1,128}$/

const patterns = (Object.keys(routes) as readonly RouteName[]).map((name) => ({
  name,
  pattern: new RegExp(
    `^${routes[name].replaceAll('.', String.raw`\.`).replaceAll(':id', '([A-Za-z0-9_-]{1,128})')}$`,
  ),
}))

/** The route of a request. Undefined when none has this verb and path. `path` is without a query. */
export const routeOf = (verb: string, path: string): RouteName | undefined =>
  patterns.find(({ pattern }) => pattern.test(`${verb} ${path}`))?.name
