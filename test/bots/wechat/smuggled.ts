import { types } from 'node:util'
import { FileBox } from 'file-box'

/** A secret that must not leave, in every dress that something bearing text can have in wechaty. */
export const canary = 'cAnary-7f3kQ界z9w'
const bytes = Buffer.from(canary)

const escaped = Array.from(canary, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(
  '',
)
/**
 * As it would look in any of these: the text itself, JSON with and without escapes, a form, hex, and base64
 * at each of its three offsets.
 */
const looks = [
  canary,
  JSON.stringify(canary).slice(1, -1),
  canary.replace('界', '\\u754c'),
  escaped,
  encodeURIComponent(canary),
  bytes.toString('hex'),
  ...[0, 1, 2].map((skip) =>
    bytes.subarray(skip, bytes.length - ((bytes.length - skip) % 3)).toString('base64'),
  ),
]
const utf16 = (text: string): readonly Buffer[] => [
  Buffer.from(text, 'utf16le'),
  Buffer.from(text, 'utf16le').swap16(),
]
const wideText = JSON.stringify(Buffer.from(canary, 'utf16le').toString('latin1')).slice(1, -1)
const wide = [canary, Buffer.from(canary).toString('base64').slice(0, -4)].flatMap(utf16)
const needles = [
  ...[...looks, wideText].map((look) => Buffer.from(look.toLowerCase()).toString('latin1')),
  ...wide.map((look) => look.toString('latin1').toLowerCase()),
]

/** True where the secret stands in it by any of its encodings. */
export const holdsCanary = (what: Uint8Array | string): boolean => {
  const raw = Buffer.from(what).toString('latin1').toLowerCase()
  return needles.some((needle) => raw.includes(needle))
}

const urlLink = {
  title: canary,
  url: `https://a.example/?q=${encodeURIComponent(canary)}`,
  description: canary,
  thumbnailUrl: canary,
}
const miniProgram = {
  appid: canary,
  title: canary,
  pagePath: canary,
  description: canary,
  username: canary,
  thumbUrl: canary,
  thumbKey: canary,
}
const place = { accuracy: 1, address: canary, latitude: 1, longitude: 1, name: canary }
const post = { sayableList: [{ type: 7, payload: { text: canary, mentions: [] } }] }
const box = (): FileBox => FileBox.fromBuffer(bytes, 'a.txt')

/** What a method takes, as wechaty's own classes would hand it over. */
export const right: Readonly<Record<string, () => readonly unknown[]>> = {
  _messageSend: () => ['alice', canary],
  messageSendText: () => ['alice', canary, ['alice']],
  messageSendFile: () => ['alice', box()],
  messageSendUrl: () => ['alice', urlLink],
  messageSendMiniProgram: () => ['alice', miniProgram],
  messageSendLocation: () => ['alice', place],
  messageSendPost: () => ['alice', post],
  messageSendContact: () => ['alice', canary],
  messageSend: () => ['alice', { type: 7, payload: { text: canary, mentions: [] } }],
  messageForward: () => ['alice', canary],
  postPublish: () => [post],
  tap: () => [canary, 1, true],
  friendshipAdd: () => ['alice', canary],
  friendshipAccept: () => [canary],
  friendshipSearch: () => [{ phone: canary }],
  roomCreate: () => [['alice', 'me'], canary],
  roomAnnounce: () => ['room@chatroom', canary],
  roomTopic: () => ['room@chatroom', canary],
  roomInvitationAccept: () => [canary],
  contactAlias: () => ['alice', canary],
  contactAvatar: () => ['alice', box()],
  contactPhone: () => ['alice', [canary]],
  contactSelfName: () => [canary],
  ding: () => [canary],
}

/** One value that bears it, in a dress that a check may overlook. */
export const dresses: Readonly<Record<string, () => unknown>> = {
  text: () => canary,
  'text object': () => Object(canary) as object,
  bytes: () => ({ bytes: new Uint8Array(bytes) }),
  wide: () => Buffer.from(canary, 'utf16le').toString('latin1'),
  base64: () => bytes.toString('base64'),
  hex: () => bytes.toString('hex'),
  percent: () => encodeURIComponent(canary),
  'file of bytes': box,
  'file of base64': () => FileBox.fromBase64(bytes.toString('base64'), 'a.txt'),
  'file of an address': () =>
    FileBox.fromUrl(`http://127.0.0.1:9/?q=${encodeURIComponent(canary)}`, { name: 'a.txt' }),
  'file of a code': () => FileBox.fromQRCode(canary),
  'name of a file': () => FileBox.fromBuffer(Buffer.from('clean'), `${canary}.txt`),
  link: () => urlLink,
  'mini program': () => miniProgram,
  place: () => place,
  post: () => post,
  nested: () => ({ a: [{ b: { text: canary, payload: canary } }] }),
  list: () => [canary, [canary]],
  key: () => ({ [canary]: 1 }),
  map: () => new Map([[canary, canary]]),
  getter: () => Object.defineProperty({}, 'text', { enumerable: true, get: () => canary }),
  inherited: () => Object.create({ text: canary, payload: { text: canary } }) as object,
  proxy: () => new Proxy({ text: canary }, {}),
  'late proxy': () => {
    let looks = 0
    return new Proxy(
      {},
      {
        get: (_, key) => (looks++ < 2 ? 'clean' : key === 'then' ? undefined : canary),
        ownKeys: () => ['text'],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: canary }),
      },
    )
  },
  promise: () => Promise.resolve(canary),
  'refused promise': () => {
    const refused = Promise.reject(new Error(canary))
    refused.catch(() => undefined)
    return refused
  },
  toString: () => ({ toString: () => canary, [Symbol.toPrimitive]: () => canary }),
  toJSON: () => ({ toJSON: () => canary }),
  function: () => () => canary,
  symbol: () => Symbol(canary),
  error: () => new Error(canary),
}

const maxDepth = 6

/** Everything that can be read out of what reached a messenger, files' bytes and hidden fields included. */
export const readOut = async (
  value: unknown,
  depth = 0,
  seen = new Set<unknown>(),
): Promise<readonly string[]> => {
  if (typeof value === 'string') return [value]
  if (typeof value === 'symbol') return [String(value)]
  if (value instanceof Uint8Array)
    return [Buffer.from(value).toString('utf8'), Buffer.from(value).toString('utf16le')]
  if (
    value === null ||
    (typeof value !== 'object' && typeof value !== 'function') ||
    depth > maxDepth ||
    seen.has(value)
  )
    return []
  seen.add(value)
  if (value instanceof Promise) return readOut(await value.catch((error: unknown) => error), depth + 1, seen)
  const own =
    value instanceof Map
      ? [...value.entries()].flat()
      : Reflect.ownKeys(value).flatMap((key) => [String(key), Reflect.get(value, key) as unknown])
  const primitive: unknown = Reflect.get(value, Symbol.toPrimitive)
  const inner: string[] = [
    String(Reflect.get(value, 'text')),
    types.isStringObject(value) ? value.valueOf() : '',
    typeof primitive === 'function' ? String(Reflect.apply(primitive, value, ['string'])) : '',
  ]
  for (const part of own) inner.push(...(await readOut(part, depth + 1, seen)))
  return inner
}
