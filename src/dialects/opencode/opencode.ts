import type { Client } from '../../shared/gate/client.ts'
import type { Json, JsonObject } from '../../core/model/base/json.ts'
import { isRefused, joined, refusalOf, settledOf, unlessEmpty, whyOf } from '../client-write.ts'
import type { OptionalFields } from '../reading/fields.ts'
import { contentText, eventsOf, field, objectIn, readerOf, type Rows, textOrEmpty } from '../table.ts'

/** Returns only the texts of the parts. The written text replaces them, and files stay. */
const textIn = (parts: Json | undefined): string =>
  (Array.isArray(parts) ? parts : [])
    .flatMap((part) => {
      const { text } = objectIn(part)
      return typeof text === 'string' ? [text] : []
    })
    .join('\n')

const output = (
  here: string,
  name: string,
  read: (value: Json | undefined) => Json = textOrEmpty,
): Rows[string] => ({
  fields: { output: field.heard(here, (value) => read(objectIn(value)[name])) },
})

/**
 * OpenCode does not run programs as hooks, so our plugin asks the gate. It sends the arguments of OpenCode's
 * own hook, `{cwd, input, output}`, and carries out the answer: `{deny}` is thrown as an error, `{args}`
 * replaces the arguments, `{text}` replaces the text, `{context}` is added to the system prompt, and
 * `{prompt}` is sent as the next message.
 */
const rows: Rows = {
  'tool.execute.before': { event: 'pre_tool_call', isCall: true },
  'tool.execute.after': {
    event: 'transform_tool_result',
    isCall: true,
    ...output('tool_result', 'output'),
    here: { tool_error: false },
    moment: 'tool_ran',
    note: 'it comes after successes only',
  },
  'chat.message': {
    event: 'on_user_message',
    ...output('message', 'parts', textIn),
    here: { kind: 'message' },
    moment: 'turn_start',
  },
  'system.transform': {
    event: 'pre_llm_call',
    ...output('system', 'system', contentText),
    // OpenCode does not report here what the person wrote.
    in: ({ input }) => ({
      last_user_message: '',
      model: textOrEmpty(objectIn(objectIn(input)['model'])['id']),
    }),
    note: 'what hooks add goes into the system prompt; nothing can be refused there',
  },
  'text.complete': {
    event: 'on_outbound_message',
    ...output('notification', 'text'),
    here: { parts: [], type: 'text', files: [], recent: [] },
    note: 'it is asked about each text of the agent before that is shown',
  },
  'session.created': { event: 'on_session_start', here: { status: 'started', source: 'startup' } },
  'session.idle': {
    event: 'on_stop',
    ...output('response', 'text'),
    here: { stop_hook_active: false },
    moment: 'turn_end',
    note: 'a refusal becomes its next message',
  },
  'session.error': {
    event: 'on_error',
    in: ({ input }) => {
      const { error } = objectIn(input)
      return {
        error: { message: textOrEmpty(objectIn(error)['message'] ?? error), name: 'Error', stack: '' },
      }
    },
  },
}

const call = (stdin: JsonObject): OptionalFields => {
  const { tool, callID, args = objectIn(stdin['output'])['args'] } = objectIn(stdin['input'])
  return { tool_name: tool, tool_input: args, tool_use_id: callID }
}

/** Our field that becomes `text`, and whether context may be added below it. */
const texts: Readonly<Record<string, { readonly field: string; readonly takesContext: boolean }>> = {
  'tool.execute.after': { field: 'tool_result', takesContext: true },
  'chat.message': { field: 'message', takesContext: true },
  'text.complete': { field: 'notification', takesContext: false },
}

const write: Client['write'] = ({ name }, ruled, asked) => {
  if (isRefused(ruled)) return refusalOf('opencode', name, ruled, whyOf(ruled))
  const { isChanged, input, context } = settledOf({ speaker: 'opencode', title: 'OpenCode' }, ruled, asked)
  const { field, takesContext } = texts[name] ?? { field: '', takesContext: false }
  const text = ruled.payload[field]
  const added = takesContext ? context : ''
  return unlessEmpty({
    ...(name === 'tool.execute.before' && input !== undefined ? { args: input } : {}),
    ...(typeof text === 'string' && (isChanged(field) !== false || added !== '')
      ? { text: joined(text, added) }
      : {}),
    ...(name === 'system.transform' && context !== '' ? { context } : {}),
  })
}

export const opencode: Client = {
  title: 'OpenCode',
  events: eventsOf(rows),
  read: readerOf({
    speaker: 'opencode',
    rows,
    call,
    sessionOf: ({ input }) => objectIn(input)['sessionID'],
  }),
  write,
}
