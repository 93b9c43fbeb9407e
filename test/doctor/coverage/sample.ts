import {
  FORMS,
  type PushForm,
  type Mark,
  type TextField,
  type PushType,
} from '../../../src/core/model/chat/content.ts'
import type { AgentPush } from '../../../src/core/model/chat/push.ts'
import { newValue, newWord } from './canary.ts'

/** A push of one form in which every text, name and file is a canary. */
export interface Sample extends Pick<AgentPush, 'type' | 'text' | 'marks' | 'parts' | 'files'> {
  /** Each canary by the field in which it stands; `file.<n>` are the bytes of a file. */
  readonly canaries: ReadonlyMap<string, string>
}

const fileKinds: Partial<Record<PushType, readonly [type: string, ending: string]>> = {
  photo: ['image/png', 'png'],
  album: ['image/png', 'png'],
  voice: ['audio/ogg', 'ogg'],
}

/** No word can stand for a reaction. */
const reactions = ['👍', '👎'] as const
/** Two words to be links, and they stay where a hook rewrites the rest: a mark goes with its words. */
const newText = (): string => `Look here ${newWord()}`

/** What a hook may write in the place of a canary. */
export const otherValue = (field: string, value: string): string => {
  if (field === 'text') return value === reactions[0] ? reactions[1] : newText()
  return field.startsWith('file.') ? `${newWord()}${value.slice(value.lastIndexOf('.'))}` : newValue(field)
}

const fieldsOf = ({ parts }: PushForm): readonly string[] =>
  Object.entries(parts).flatMap(([pattern, [, most]]) =>
    pattern.includes('N') ? [0, 1].slice(0, most).map((at) => pattern.replace('N', String(at))) : [pattern],
  )

export const sampleOf = (type: PushType): Sample => {
  const form: PushForm = FORMS[type]
  const text = form.text === 'none' ? '' : type === 'reaction' ? reactions[0] : newText()
  const parts = fieldsOf(form).map((field): TextField => ({ field, text: newValue(field) }))
  const [kind, ending] = fileKinds[type] ?? ['text/plain', 'txt']
  const files = Array.from({ length: form.files[0] }, () => ({
    name: `${newWord()}.${ending}`,
    type: kind,
    content: newWord(),
  }))
  const canaries = new Map([
    ...(text === '' ? [] : [['text', text] as const]),
    ...parts.map(({ field, text }) => [field, text] as const),
    ...files.flatMap(({ name, content }, at) => [
      [`file.${at}.name`, name] as const,
      [`file.${at}`, content] as const,
    ]),
  ])
  const links = parts
    .filter(({ field }) => field.startsWith('link.'))
    .map(({ field }, at): Mark => ({ type: 'link', offset: at * 5, length: 4, field }))
  return {
    type,
    text,
    marks: links,
    parts,
    files: files.map(({ name, type, content }) => ({ name, type, bytes: Buffer.from(content) })),
    canaries,
  }
}
