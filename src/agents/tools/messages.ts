import { randomUUID } from 'node:crypto'
import { basename, resolve } from 'node:path'
import type { TextField } from '../../core/model/chat/content.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import { got } from '../../core/model/gate/problem.ts'
import type { AgentPush } from '../../core/model/chat/push.ts'
import type { PushResult, PushFields } from '../client.ts'
import { type FileKind, kindOf } from './file-kind.ts'
import { readBytes } from './files.ts'
import {
  done,
  failed,
  figure,
  list,
  optional,
  text,
  tool,
  type Tool,
  type ToolContext,
  type ToolResult,
  word,
  wordList,
} from './tool.ts'

/** The gate's limit for all files of one message together. */
const maxFileBytes = 20_000_000

/** An id that is short enough for a model to repeat. No id is used twice. */
const newId = (): string => `m-${randomUUID().replaceAll('-', '').slice(0, 10)}`

const ending = (reason: string): string => reason.replace(/\.$/, '')

/** Describes the outcome of a message, and what to do next. */
const inWords = ({ outcome, reason, push_id }: PushResult, arrived: string): ToolResult => {
  switch (outcome) {
    case 'delivered':
      return done(arrived)
    case 'queued':
      return done(`It is queued as message ${push_id}. Do not send it again.`)
    case 'held':
      return done(`Held as message ${push_id}: ${ending(reason)}. Do not send it again.`)
    case 'withheld':
      return failed(`withheld by a hook: ${ending(reason)}. Rephrase the message, or leave it out.`)
    case 'unknown':
      return failed(
        `it is not known whether it arrived: ${ending(reason)}. Ask the person before you send it again.`,
      )
    default:
      return failed(reason === '' ? 'the gate did not say why' : reason)
  }
}

const send = async ({ push }: ToolContext, said: PushFields): Promise<ToolResult> => {
  const sent = await push({ push_id: newId(), ...said })
  return inWords(sent, `Sent as message ${sent.push_id}.`)
}

/**
 * Converts Markdown to text and marks. The parser is loaded at first use, so that the demo does not need its
 * memory.
 */
export const fromMarkdown = async (
  markdown: string | undefined,
): Promise<Pick<AgentPush, 'text' | 'marks' | 'parts'>> =>
  markdown === undefined
    ? { text: '', marks: [], parts: [] }
    : (await import('../markdown/markdown.ts')).toMarks(markdown)

const readButtons = (input: JsonObject, name: string): readonly TextField[] =>
  list(input, name).flatMap((button, at) => {
    if (!isObject(button))
      throw new Error(`Expected "buttons[${at}]" to be {label, url}, got ${got(button)}.`)
    return [
      { field: `button.${at}.label`, text: text(button, 'label') },
      { field: `button.${at}.url`, text: text(button, 'url') },
    ]
  })

const fileAt = async (
  path: string,
  { workspace }: ToolContext,
  maxBytes: number,
): Promise<{ readonly file: AgentPush['files'][number]; readonly kind: FileKind }> => {
  const bytes = await readBytes(resolve(workspace, path), maxBytes)
  if (bytes.length === 0) throw new Error(`Expected a file that is not empty, got ${path}.`)
  const kind = kindOf(bytes)
  return { kind, file: { name: basename(path), type: kind.type, bytes } }
}

const readAs = (input: JsonObject): FileKind['as'] => {
  const as = text(input, 'as')
  if (as === 'photo' || as === 'document' || as === 'voice') return as
  throw new Error(`Expected "as" to be photo, document or voice, got ${got(as)}.`)
}

/** Converts degrees to text, never in the form 1e-7. Eight digits are about a millimetre. */
const degrees = (value: number): string => value.toFixed(8).replace(/\.?0+$/, '')

const named = (fields: Readonly<Record<string, string | undefined>>): readonly TextField[] =>
  Object.entries(fields).flatMap(([field, text]) => (text === undefined ? [] : [{ field, text }]))

const caption = optional(word('A caption in Markdown.'))

/** The tools that send messages to the chat, in addition to the plain answer. */
export const messageTools: Readonly<Record<string, Tool>> = {
  push: tool(
    'Sends a message to the person at once, while you continue to work. Your last answer is sent automatically: do not push it too.',
    {
      text: word('The text, in Markdown.'),
      buttons: optional({
        schema: {
          type: 'array',
          description: 'Buttons that each open a web address.',
          items: {
            type: 'object',
            properties: { label: { type: 'string' }, url: { type: 'string' } },
            required: ['label', 'url'],
          },
        },
        read: readButtons,
      }),
    },
    async ({ text: markdown, buttons = [] }, context) => {
      const { text: words, marks, parts } = await fromMarkdown(markdown)
      return send(context, { text: words, marks, parts: [...parts, ...buttons] })
    },
  ),
  edit_message: tool(
    'Changes the text of a message that you sent.',
    {
      id: word('The id of the message that you were given, such as m-0123456789.'),
      text: word('The whole new text, in Markdown.'),
    },
    async ({ id, text: markdown }, { push }) =>
      inWords(
        await push({ push_id: newId(), type: 'edit', target: id, ...(await fromMarkdown(markdown)) }),
        `Changed message ${id}.`,
      ),
  ),
  send_file: tool(
    'Sends a file of at most 20 MB to the person.',
    {
      path: word('The path of the file.'),
      caption,
      as: optional({
        schema: {
          type: 'string',
          enum: ['photo', 'document', 'voice'],
          description: 'How the file is sent. By default this depends on its type.',
        },
        read: readAs,
      }),
    },
    async ({ path, caption: markdown, as }, context) => {
      const { file, kind } = await fileAt(path, context, maxFileBytes)
      return send(context, { type: as ?? kind.as, ...(await fromMarkdown(markdown)), files: [file] })
    },
  ),
  send_album: tool(
    'Sends several pictures as one message.',
    { paths: wordList('The paths of the pictures.'), caption },
    async ({ paths, caption: markdown }, context) => {
      const files: AgentPush['files'][number][] = []
      let left = maxFileBytes
      for (const path of paths) {
        const { file } = await fileAt(path, context, left)
        files.push(file)
        left -= file.bytes.length
      }
      return send(context, { type: 'album', ...(await fromMarkdown(markdown)), files })
    },
  ),
  poll: tool(
    'Sends a poll to the chat.',
    { question: word('The question.'), options: wordList('The answers to choose from.') },
    ({ question, options }, context) =>
      send(context, {
        type: 'poll',
        text: question,
        parts: options.map((option, at) => ({ field: `option.${at}`, text: option })),
      }),
  ),
  send_location: tool(
    'Sends a location on the map.',
    {
      latitude: figure('Degrees.'),
      longitude: figure('Degrees.'),
      title: optional(word('The name of the location.')),
      address: optional(word('The address of the location.')),
    },
    ({ latitude, longitude, ...more }, context) =>
      send(context, {
        type: 'location',
        parts: named({ latitude: degrees(latitude), longitude: degrees(longitude), ...more }),
      }),
  ),
  send_contact: tool(
    "Sends a person's telephone number as a contact.",
    {
      phone: word('The number.'),
      first_name: word('The first name.'),
      last_name: optional(word('The last name.')),
    },
    (input, context) => send(context, { type: 'contact', parts: named(input) }),
  ),
  create_topic: tool(
    'Creates a topic in a group that has topics.',
    { name: word('The name of the topic.') },
    async ({ name }, { push }) => {
      const made = await push({ push_id: newId(), type: 'topic', text: name })
      const id = made.chat_id === undefined ? '' : ` Its chat_id is ${made.chat_id}.`
      return inWords(made, `Created the topic ${name}.${id}`)
    },
  ),
  react: tool(
    'Reacts to a message with an emoji.',
    {
      emoji: word('One emoji.'),
      to: optional(
        word(
          "The id of a message that you sent. Without it, the reaction goes to the person's message of this turn.",
        ),
      ),
    },
    async ({ emoji, to }, { push, message_id }) => {
      const target = to ?? message_id
      if (target === undefined)
        throw new Error(
          'Expected "to" to be the id of a message, because the message of this turn has no id, got nothing. Give the id of a message that you sent.',
        )
      const sent = await push({ push_id: newId(), type: 'reaction', text: emoji, target })
      return inWords(sent, `Reacted with ${emoji}.`)
    },
  ),
}
