import { join } from 'node:path'
import { objectOf, textOf, timeOf, type SessionFormat } from './session.ts'

/** `sessions/<project>/<session>/agents/<agent>/wire.jsonl`. */
export const kimi: SessionFormat = {
  seen: '2.1.0',
  places: ({ home, env }) => [join(env['KIMI_CODE_HOME'] || join(home, '.kimi-code'), 'sessions')],
  isSession: (path) => /(?:^|\/)wire\.jsonl$/.test(path),
  marks: ['"profile.bind"', '"tool.call"'],
  open: ({ path }) => {
    const [session = ''] = path.split('/agents/')
    let cwd = ''
    return ({ type, event, environmentDisclosure, time }) => {
      if (type === 'profile.bind') cwd = textOf(objectOf(environmentDisclosure)['cwd']) || cwd
      const { type: kind, toolCallId, name, args, display } = objectOf(event)
      return type !== 'context.append_loop_event' || kind !== 'tool.call'
        ? []
        : [
            {
              id: textOf(toolCallId),
              session,
              atMs: timeOf(time),
              cwd: textOf(objectOf(display)['cwd']) || cwd,
              tool: textOf(name),
              input: objectOf(args),
            },
          ]
    }
  },
}
