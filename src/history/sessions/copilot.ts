import { join } from 'node:path'
import { inputOf, objectOf, objectsIn, textOf, timeOf, type SessionFormat } from './session.ts'

/** `session-state/<session>/events.jsonl`. Subagents are in the file of their session. */
export const copilot: SessionFormat = {
  seen: '1.0.102',
  places: ({ home, env }) => [join(env['COPILOT_HOME'] || join(home, '.copilot'), 'session-state')],
  isSession: (path) => /^[^/]+(?:\/events)?\.jsonl$/.test(path),
  marks: ['"session.', '"toolRequests"'],
  open: () => {
    let cwd = ''
    return ({ type, data, timestamp }) => {
      const { context, toolRequests } = objectOf(data)
      if (textOf(type).startsWith('session.')) cwd = textOf(objectOf(context)['cwd']) || cwd
      return type !== 'assistant.message'
        ? []
        : objectsIn(toolRequests).map((request) => ({
            id: textOf(request['toolCallId']),
            atMs: timeOf(timestamp),
            cwd,
            tool: textOf(request['name']),
            input: inputOf(request['arguments']),
          }))
    }
  },
}
