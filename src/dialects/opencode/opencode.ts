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
    fields: { 'output.output': field.heard('tool_result', textOrEmpty) },
    here: { tool_error: false },
    moment: 'tool_ran',
    note: 'it comes after successes only',
  },
  'chat.message': {
    event: 'on_user_message',
    fields: { 'output.parts': field.heard('message', textIn) },
    here: { kind: 'message' },
    moment: 'turn_start',
  },
  'system.transform': {
    event: 'pre_llm_call',
    fields: {
      'output.system': field.heard('system', contentText),
      'input.model.id': field.heard('model', textOrEmpty),
    },
    // OpenCode does not report here what the person wrote.
    here: { last_user_message: '' },
    note: 'what hooks add goes into the system prompt; nothing can be refused there',
  },
  'text.complete': {
    event: 'on_outbound_message',
    fields: { 'output.text': field.heard('notification', textOrEmpty) },
    here: { parts: [], type: 'text', files: [], recent: [] },
    note: 'it is asked about each text of the agent before that is shown',
  },
  'session.created': { event: 'on_session_start', here: { status: 'started', source: 'startup' } },
  'session.idle': {
    event: 'on_stop',
    fields: { 'output.text': field.heard('response', textOrEmpty) },
    here: { stop_hook_active: false },
    moment: 'turn_end',
    note: 'a refusal becomes its next message',
  },
  'session.error': {
    event: 'on_error',
    fields: {
      'input.error': field.heard('error', (error) => ({
        message: textOrEmpty(objectIn(error)['message'] ?? error),
        name: 'Error',
        stack: '',
      })),
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
