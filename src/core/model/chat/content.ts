/**
 * An additional text of a push that its reader sees beside the main one, with its name: `option.0`,
 * `button.0.url`.
 */
export interface TextField {
  readonly field: string
  readonly text: string
}

/**
 * The formatting of a range of the main text, in UTF-16 units. Only hookgate itself may underline. It holds
 * no text: a link's address is the part that `field` names.
 */
export interface Mark {
  readonly type: 'bold' | 'italic' | 'strike' | 'spoiler' | 'code' | 'pre' | 'quote' | 'link'
  readonly offset: number
  readonly length: number
  readonly field?: string
}

export const MARK_TYPES = [
  'bold',
  'italic',
  'strike',
  'spoiler',
  'code',
  'pre',
  'quote',
  'link',
] as const satisfies readonly Mark['type'][]

/** A stored file, named by the hash of its bytes. Its name is the part `file.<n>.name`. */
export interface KeptFile {
  readonly sha256: string
  /** In bytes. */
  readonly size: number
  /** The MIME type that the agent stated. */
  readonly type: string
  /** The whole text of a file beside a notice. Such a file is not stored. */
  readonly text?: string
}

type Count = readonly [least: number, most: number]

/** The rules for one type of message. */
export interface PushForm {
  readonly text: 'needed' | 'optional' | 'none'
  /** The number of other texts by field. `N` stands for a number from 0 to 99. */
  readonly parts: Readonly<Record<string, Count>>
  readonly files: Count
  /** True: its text must leave as a single message. */
  readonly isWhole?: true
  /** The kind of its `target`: an earlier push of this agent to this chat, or any message there. */
  readonly target?: 'push' | 'message'
}

const none: Count = [0, 0]
const links = { 'link.N': [0, 100] } as const
const buttons = { 'button.N.label': [0, 8], 'button.N.url': [0, 8] } as const
const caption = { text: 'optional', parts: { ...links, ...buttons }, files: [1, 1] } as const

/**
 * All message types, as data. Everything that a reader sees is the text, a part or a file, and all of it is
 * judged.
 */
export const FORMS = {
  text: { text: 'needed', parts: { ...links, ...buttons }, files: none },
  error: { text: 'needed', parts: {}, files: none },
  edit: { text: 'needed', parts: { ...links, ...buttons }, files: none, isWhole: true, target: 'push' },
  photo: caption,
  document: caption,
  voice: caption,
  album: { text: 'optional', parts: links, files: [2, 10] },
  poll: { text: 'needed', parts: { 'option.N': [2, 12] }, files: none, isWhole: true },
  location: {
    text: 'none',
    parts: { latitude: [1, 1], longitude: [1, 1], title: [0, 1], address: [0, 1] },
    files: none,
  },
  contact: { text: 'none', parts: { phone: [1, 1], first_name: [1, 1], last_name: [0, 1] }, files: none },
  topic: { text: 'needed', parts: {}, files: none, isWhole: true },
  reaction: { text: 'needed', parts: {}, files: none, isWhole: true, target: 'message' },
  draft: { text: 'needed', parts: links, files: none, isWhole: true },
} as const satisfies Record<string, PushForm>

export type PushType = keyof typeof FORMS
export const PUSH_TYPES = Object.keys(FORMS) as readonly PushType[]
export const isPushType = (name: unknown): name is PushType =>
  typeof name === 'string' && Object.hasOwn(FORMS, name)

/** The content that is judged and leaves exactly so. `notice` is hookgate's own. */
export interface Content {
  readonly type: PushType | 'notice'
  readonly text: string
  readonly marks: readonly Mark[]
  readonly parts: readonly TextField[]
  readonly files: readonly KeptFile[]
  /** The message that it is about: the `push_id` of a push, or the messenger's id of a person's message. */
  readonly target?: string
}

/** A content with only a text. */
export const plain = <T extends Content['type']>(
  type: T,
  text: string,
): {
  readonly type: T
  readonly text: string
  readonly marks: readonly []
  readonly parts: readonly []
  readonly files: readonly []
} => ({ type, text, marks: [], parts: [], files: [] })

export const partNamed = (parts: readonly TextField[], field: string): string | undefined =>
  parts.find((part) => part.field === field)?.text

/** The parts `<name>.<n>` or `<name>.<n>.<more>`, sorted by number. */
export const numbered = (
  parts: readonly TextField[],
  name: string,
  more = '',
): readonly { readonly at: number; readonly text: string }[] =>
  parts
    .flatMap(({ field, text }) => {
      const [head, at, ...rest] = field.split('.')
      return head === name && rest.join('.') === more ? [{ at: Number(at), text }] : []
    })
    .toSorted((a, b) => a.at - b.at)

/** Everything that a reader sees of it, one text a line. */
export const readable = ({ text, parts }: Pick<Content, 'text' | 'parts'>): string =>
  parts.length === 0
    ? text
    : [text, ...parts.map((part) => part.text)].filter((part) => part !== '').join('\n')
