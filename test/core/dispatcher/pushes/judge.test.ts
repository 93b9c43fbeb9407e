import { expect, test } from 'vitest'
import { createPushJudge } from '../../../../src/core/dispatcher/pushes/judge.ts'
import { createRecent } from '../../../../src/core/dispatcher/pushes/recent.ts'
import { plain } from '../../../../src/core/model/chat/content.ts'
import { links } from '../text/texts.ts'
import { payloadOf } from '../../../../src/core/model/events/payload.ts'

test('a hook that came while a push was on its way to the hooks is asked with what the chat was told before', async () => {
  const recent = createRecent()
  const told: unknown[] = []
  let revision = 1
  const address = { channel: 'memory', chat_id: 'main' }
  recent.settled(recent.waits('memory main', 'main:first', 'first half'), 'first half')
  const judge = createPushJudge({
    gate: () => ({ revision }),
    isHeard: () => revision === 2,
    pathOf: () => '',
    recent,
    links,
    fire: async ({ event, fields }) => {
      told.push(fields['recent'])
      revision = 2
      const base = { event_id: 'e', timestamp: '', session_id: '', agent_id: 'main', cwd: '' }
      return {
        kind: 'verdict',
        verdict: {
          verdict: 'allow',
          isConsent: true,
          payload: payloadOf(event, base, fields),
          contexts: [],
          notes: [],
          warnings: [],
          hooks: [],
          revision,
        },
      }
    },
  })
  const push = { push_id: 'p', agent_id: 'main', session_id: '', cwd: '', ...address }
  const item = {
    id: 'main:p',
    seq: 1,
    ...address,
    kind: 'push',
    state: 'queued',
    revision: 1,
    createdAtMs: 0,
    body: '',
    push: { ...push, ...plain('text', 'second half') },
    recent: recent.waits('memory main', 'main:p', 'second half'),
  } as const
  // The door lets nothing out that was judged under an earlier revision, and has it judged again.
  expect(await judge(item)).toMatchObject({ kind: 'leaves', revision: 1 })
  expect(await judge(item)).toMatchObject({ kind: 'leaves', revision: 2 })
  expect(told).toEqual([[], ['first half']])
})
