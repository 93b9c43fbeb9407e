import { join, resolve } from 'node:path'
import type { Json } from '../../core/model/base/json.ts'
import { inputOf, objectOf, textOf, timeOf, type SessionFormat } from './session.ts'

/**
 * `opencode.db`, with a row for each part of a message. Until 2026 a part was a file,
 * `storage/part/<message>/<part>.json`.
 */
export const openCode: SessionFormat = {
  seen: '1.18.33',
  places: ({ home, env }) => {
    const data = join(env['XDG_DATA_HOME'] || join(home, '.local/share'), 'opencode')
    return [resolve(data, env['OPENCODE_DB'] || 'opencode.db'), join(data, 'storage')]
  },
  isSession: (path) => /^part\/.*\.json$/.test(path),
  marks: ['"tool"'],
  open:
    ({ beside }) =>
    (record) => {
      const { type, tool, callID, state, cwd, at, sessionID, messageID } = record
      const { status, input, time } = objectOf(state)
      if (type !== 'tool' || status === 'pending') return []
      /** A file names its session, and the message of that session has the folder. */
      const told = (): Json | undefined => {
        const names = [textOf(sessionID), textOf(messageID)]
        if (!names.every((name) => /^\w+$/.test(name))) return undefined
        const message = inputOf(beside(`../../message/${names.join('/')}.json`))
        return objectOf(message['path'])['cwd']
      }
      return [
        {
          id: textOf(callID),
          session: textOf(sessionID),
          atMs: timeOf(objectOf(time)['start']) ?? timeOf(at),
          cwd: textOf(cwd) || textOf(told()),
          tool: textOf(tool),
          input: objectOf(input),
        },
      ]
    },
}
