import { z } from 'zod'
import { shownName } from '../../../src/core/model/chat/speaker.ts'

/** A file in a message, before it is downloaded. `kind` is what Feishu asks for with a download. */
export interface FoundFile {
  readonly key: string
  readonly kind: 'image' | 'file'
  readonly name: string
  readonly type: string
}

/** What a person sent. `isText`: it holds nothing but text. */
export interface SaidContent {
  readonly text: string
  readonly files: readonly FoundFile[]
  readonly isText: boolean
}

/** The most files of one message that are read. A person sends nine at once. */
const maxFiles = 20

const key = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/)
const name = z.string().max(1000).catch('')

const image = (image_key: string): FoundFile => ({
  key: image_key,
  kind: 'image',
  name: 'photo.jpg',
  type: 'image/jpeg',
})
const file = (file_key: string, name: string, type: string): FoundFile => ({
  key: file_key,
  kind: 'file',
  name,
  type,
})
const only = (...files: readonly FoundFile[]): SaidContent => ({ text: '', files, isText: false })

const elementSchema = z.object({
  tag: z.string(),
  text: z.string().optional().catch(undefined),
  href: z.string().optional().catch(undefined),
  user_id: z.string().optional().catch(undefined),
  user_name: z.string().optional().catch(undefined),
  emoji_type: z.string().optional().catch(undefined),
  image_key: key.optional().catch(undefined),
  file_key: key.optional().catch(undefined),
})
type Element = z.infer<typeof elementSchema>

/** The text of one element of a rich text, as a person reads it. */
const elementText = ({ tag, text = '', href, user_id, user_name = '', emoji_type }: Element): string => {
  if (tag === 'at') return user_id ?? `@${shownName(user_name)}`
  if (tag === 'emotion') return `[${emoji_type ?? ''}]`
  if (tag === 'hr') return '---'
  return tag === 'a' && href !== undefined && href !== text ? `${text} (${href})` : text
}

const postSchema = z.object({
  title: z.string().catch(''),
  content: z.array(z.array(elementSchema).catch([])).catch([]),
})

const ofPost = ({ title, content }: z.infer<typeof postSchema>): SaidContent => {
  const elements = content.flat()
  const files = elements.flatMap(({ tag, image_key, file_key }) => [
    ...(tag === 'img' && image_key !== undefined ? [image(image_key)] : []),
    ...(tag === 'media' && file_key !== undefined ? [file(file_key, 'video.mp4', 'video/mp4')] : []),
  ])
  // More are an attack, and a download of each would be one, too.
  const read = files.slice(0, maxFiles)
  const lines = content.map((line) => line.map(elementText).join(''))
  return {
    text: [...(title === '' ? [] : [title]), ...lines].join('\n').trim(),
    files: read,
    isText: files.length === 0,
  }
}

const readers = {
  text: z
    .object({ text: z.string() })
    .transform(({ text }): SaidContent => ({ text, files: [], isText: true })),
  post: postSchema.transform(ofPost),
  image: z.object({ image_key: key }).transform(({ image_key }) => only(image(image_key))),
  file: z
    .object({ file_key: key, file_name: name })
    .transform(({ file_key, file_name }) =>
      only(file(file_key, file_name || 'file', 'application/octet-stream')),
    ),
  audio: z
    .object({ file_key: key })
    .transform(({ file_key }) => only(file(file_key, 'voice.ogg', 'audio/ogg'))),
  media: z
    .object({ file_key: key, file_name: name })
    .transform(({ file_key, file_name }) => only(file(file_key, file_name || 'video.mp4', 'video/mp4'))),
} as const

const nothing: SaidContent = { text: '', files: [], isText: false }

/**
 * Reads the content of a message, which is JSON in a text. A kind that hookgate does not serve, such as a
 * sticker or a shared card, holds neither a text nor a file. Never throws.
 */
export const readContent = (kind: string, content: string): SaidContent => {
  if (!Object.hasOwn(readers, kind)) return nothing
  try {
    return readers[kind as keyof typeof readers].safeParse(JSON.parse(content)).data ?? nothing
  } catch {
    return nothing
  }
}
