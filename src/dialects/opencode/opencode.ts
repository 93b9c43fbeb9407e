import type { Client } from '../../shared/gate/client.ts'
import type { NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { contentText, readerOf, textOrEmpty } from '../client-read.ts'
import { inputOf, isEmpty, isRefused, joined, whyOf } from '../client-write.ts'
import { changedSince, type OptionalFields } from '../reading/fields.ts'
import { denial } from '../gates.ts'

/**
 * OpenCode does not run programs as hooks, so our plugin asks the gate. It sends the arguments of OpenCode's
 * own hook, `{cwd, input, output}`, and carries out the answer: `{deny}` is thrown as an error, `{args}`
 * replaces the arguments, `{text}` replaces the text, `{context}` is added to the system prompt, and
 * `{prompt}` is sent as the next message.
 */
const events: readonly NativeEvent[] = [
  { name: 'tool.execute.before', event: 'pre_tool_call' },
  { name: 'tool.execute.after', event: 'transform_tool_result', note: 'it comes after successes only' },
  { name: 'chat.message', event: 'on_user_message' },
  {
    name: 'system.transform',
    event: 'pre_llm_call',
    note: 'what hooks add goes into the system prompt; nothing can be refused there',
  },
  {
    name: 'text.complete',
    event: 'on_outbound_message',
    note: 'it is asked about each text of the agent before that is shown',
  },
  { name: 'session.created', event: 'on_session_start' },
  { name: 'session.idle', event: 'on_stop', note: 'a refusal becomes its next message' },
  { name: 'session.error', event: 'on_error' },
]

const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const input = (stdin: JsonObject): JsonObject => objectIn(stdin['input'])
const output = (stdin: JsonObject): JsonObject => objectIn(stdin['output'])

/** Returns only the texts of the parts. The written text replaces them, and files stay. */
const textIn = (parts: Json | undefined): string =>
  Array.isArray(parts)
    ? parts
        .flatMap((part) =>
          typeof objectIn(part)['text'] === 'string' ? [textOrEmpty(objectIn(part)['text'])] : [],
        )
        .join('\n')
    : ''

const call = (stdin: JsonObject): OptionalFields => {
  const { tool, callID, args = output(stdin)['args'] } = input(stdin)
  return { tool_name: tool, tool_input: args, tool_use_id: callID }
}

const read = readerOf({
  speaker: 'opencode',
  call,
  tools: ['tool.execute.before', 'tool.execute.after'],
  sessionOf: (stdin) => input(stdin)['sessionID'],
  fieldReaders: {
    'tool.execute.after': (stdin) => ({
      tool_result: textOrEmpty(output(stdin)['output']),
      tool_error: false,
    }),
    'chat.message': (stdin) => ({ message: textIn(output(stdin)['parts']), kind: 'message' }),
    // OpenCode does not report here what the person wrote.
    'system.transform': (stdin) => ({
      last_user_message: '',
      system: contentText(output(stdin)['system']),
      model: textOrEmpty(objectIn(input(stdin)['model'])['id']),
    }),
    'text.complete': (stdin) => ({
      notification: textOrEmpty(output(stdin)['text']),
      parts: [],
      type: 'text',
      files: [],
      recent: [],
    }),
    'session.created': () => ({ status: 'started', source: 'startup' }),
    'session.idle': (stdin) => ({ response: textOrEmpty(output(stdin)['text']), stop_hook_active: false }),
    'session.error': (stdin) => ({
      error: {
        message: textOrEmpty(objectIn(input(stdin)['error'])['message'] ?? input(stdin)['error']),
        name: 'Error',
        stack: '',
      },
    }),
  },
})

/** Our field that becomes `text`, and whether context may be added below it. */
const texts: Readonly<Record<string, { readonly field: string; readonly takesContext: boolean }>> = {
  'tool.execute.after': { field: 'tool_result', takesContext: true },
  'chat.message': { field: 'message', takesContext: true },
  'text.complete': { field: 'notification', takesContext: false },
}

const write: Client['write'] = ({ name }, ruled, asked) => {
  const { contexts, stopsTurn, payload } = ruled
  const context = joined(...contexts)
  const isEnding = name === 'session.idle'
  if (isRefused(ruled))
    return isEnding && stopsTurn === true
      ? undefined
      : denial('opencode', name, joined(whyOf(ruled), isEnding ? context : ''))
  const isChanged = changedSince(asked, payload)
  const args =
    name === 'tool.execute.before' && isChanged('tool_input') !== false
      ? inputOf('opencode', ruled)
      : undefined
  const { field, takesContext } = texts[name] ?? { field: '', takesContext: false }
  const text = payload[field]
  const added = takesContext ? context : ''
  const answer: JsonObject = {
    ...(args === undefined ? {} : { args }),
    ...(typeof text === 'string' && (isChanged(field) !== false || added !== '')
      ? { text: joined(text, added) }
      : {}),
    ...(name === 'system.transform' && context !== '' ? { context } : {}),
  }
  return isEmpty(answer) ? undefined : answer
}

export const opencode: Client = {
  title: 'OpenCode',
  events,
  read,
  write,
  moments: { 'chat.message': 'turn_start', 'tool.execute.after': 'tool_ran', 'session.idle': 'turn_end' },
}
