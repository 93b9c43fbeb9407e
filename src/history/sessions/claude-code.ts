import { join } from 'node:path'
import { objectOf, objectsIn, textOf, timeOf, type SessionFormat } from './session.ts'

/** `projects/<folder>/<session>.jsonl`, and beside it a folder with the subagents of the session. */
export const claudeCode: SessionFormat = {
  seen: '2.1.329',
  places: ({ home, env }) => [join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'projects')],
  isSession: (path) => path.endsWith('.jsonl'),
  marks: ['"tool_use"'],
  open:
    () =>
    ({ type, message, cwd, timestamp, sessionId }) =>
      type !== 'assistant'
        ? []
        : objectsIn(objectOf(message)['content'])
            .filter((part) => part['type'] === 'tool_use')
            .map(({ id, name, input }) => ({
              id: textOf(id),
              session: textOf(sessionId),
              atMs: timeOf(timestamp),
              cwd: textOf(cwd),
              tool: textOf(name),
              input: objectOf(input),
            })),
}
