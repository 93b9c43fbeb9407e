import { isPushType, MARK_TYPES, PUSH_TYPES, type Mark, type TextField } from '../core/model/chat/content.ts'
import { isObject, type Json, type JsonObject } from '../core/model/base/json.ts'
import type { AgentPush } from '../core/model/chat/push.ts'
import { checkFields, nameField, wrong, type BodyField } from './fields.ts'
import { type PushRequest, RefusedError } from './ports.ts'

/**
 * The limit for all files of one push together, in bytes. In base64 and with all texts they fit into a body
 * of `maxPushBytes`.
 */
export const maxFileBytes = 20_000_000
export const maxPushBytes = 32_000_000
export const maxItems = 1000
export const maxTypeLength = 100
export const maxFieldLength = 40

/** The fields of a push. Those in its lists are checked one by one below. */
export const pushFields: readonly BodyField[] = [
  nameField('channel', true),
  nameField('chat_id', true),
  ...['push_id', 'session_id', 'target'].map((name) => nameField(name)),
  { name: 'text', type: 'string', isRequired: false },
]

const listOf = (body: JsonObject, field: string): readonly JsonObject[] => {
  const list = body[field] ?? []
  if (!Array.isArray(list) || list.length > maxItems || !list.every((item: Json) => isObject(item)))
    throw wrong(field, `a list of at most ${maxItems} objects`, list)
  return list
}

const textIn = (item: JsonObject, path: string, field: string, max = Number.POSITIVE_INFINITY): string => {
  const value = item[field]
  if (typeof value !== 'string' || value.length > max)
    throw wrong(
      `${path}.${field}`,
      max === Number.POSITIVE_INFINITY ? 'a string' : `a string of at most ${max} characters`,
      value,
    )
  return value
}

const partIn = (item: JsonObject, at: number): TextField => ({
  field: textIn(item, `parts[${at}]`, 'field', maxFieldLength),
  text: textIn(item, `parts[${at}]`, 'text'),
})

const markIn = ({ type, offset, length, field }: JsonObject, at: number): Mark => {
  const known = MARK_TYPES.find((name) => name === type)
  if (known === undefined) throw wrong(`marks[${at}].type`, `one of ${MARK_TYPES.join(', ')}`, type)
  if (typeof offset !== 'number' || typeof length !== 'number')
    throw wrong(
      `marks[${at}]`,
      'an offset and a length in numbers',
      typeof offset === 'number' ? length : offset,
    )
  if (field !== undefined && typeof field !== 'string') throw wrong(`marks[${at}].field`, 'a string', field)
  return { type: known, offset, length, field }
}

const fileIn = (item: JsonObject, at: number): AgentPush['files'][number] => {
  const path = `files[${at}]`
  const encoded = textIn(item, path, 'base64')
  const bytes = Buffer.from(encoded, 'base64')
  // The decoder skips characters that it does not know. The decoded file would then differ from the file that
  // was sent.
  if (bytes.toString('base64') !== encoded)
    throw new RefusedError(
      400,
      'body.field',
      `Expected "${path}.base64" to be base64 with its padding, got something else.`,
      'Encode the whole file.',
    )
  if (bytes.length === 0)
    throw new RefusedError(
      400,
      'body.field',
      `Expected "${path}.base64" to be a file's bytes, got none.`,
      'Send a file that is not empty.',
    )
  const type =
    item['type'] === undefined ? 'application/octet-stream' : textIn(item, path, 'type', maxTypeLength)
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(type)) throw wrong(`${path}.type`, 'a MIME type such as image/png', type)
  return { name: textIn(item, path, 'name'), type, bytes }
}

/**
 * Reads the request of an agent to send a push. The dispatcher checks whether the fields make a valid push of
 * its type. Throws a RefusedError.
 */
export const pushRequest = (body: JsonObject): PushRequest => {
  checkFields(pushFields, body)
  const type = body['type'] ?? 'text'
  if (!isPushType(type)) throw wrong('type', `one of ${PUSH_TYPES.join(', ')}`, type)
  const { channel, chat_id, push_id, session_id, target } = body as unknown as PushRequest
  const files = listOf(body, 'files').map(fileIn)
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  if (bytes > maxFileBytes)
    throw new RefusedError(
      413,
      'push.files',
      `Expected files of at most ${maxFileBytes / 1e6} MB together, got ${(bytes / 1e6).toFixed(1)} MB.`,
      'Send smaller files, or send a link to them.',
    )
  return {
    channel,
    chat_id,
    type,
    files,
    text: typeof body['text'] === 'string' ? body['text'] : '',
    marks: listOf(body, 'marks').map(markIn),
    parts: listOf(body, 'parts').map(partIn),
    target,
    push_id,
    session_id,
  }
}
