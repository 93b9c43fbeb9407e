import { basename, dirname, join } from 'node:path'
import { objectOf, objectsIn, textOf, timeOf, type SessionFormat } from './session.ts'

/**
 * `tmp/<project>/chats/session-….jsonl`, and below it a folder with the subagents of the session. Until 2025
 * a session was one JSON object. A message is written again when its calls have ended.
 */
export const gemini: SessionFormat = {
  seen: '0.61.0',
  places: ({ home, env }) => [join(env['GEMINI_CLI_HOME'] || home, '.gemini/tmp')],
  isSession: (path) => /(?:^|\/)chats\/.*\.jsonl?$/.test(path),
  marks: ['"sessionId"', '"toolCalls"'],
  open: ({ path, beside }) => {
    const parent = basename(dirname(path))
    let session = parent === 'chats' ? '' : parent
    const cwd = (beside('../.project_root') ?? beside('../../.project_root') ?? '').trim()
    return (record) => {
      session ||= textOf(record['sessionId'])
      return [
        record,
        ...objectsIn(objectOf(record['$set'])['messages']),
        ...objectsIn(record['messages']),
      ].flatMap((message) =>
        objectsIn(message['toolCalls']).map(({ id, name, args, timestamp }) => ({
          id: textOf(id),
          session,
          atMs: timeOf(timestamp) ?? timeOf(message['timestamp']),
          cwd,
          tool: textOf(name),
          input: objectOf(args),
        })),
      )
    }
  },
}
