import { afterEach, expect, test } from 'vitest'
import { plain } from '../../../../src/core/model/chat/content.ts'
import { createBarrier, createRig, main, type Rig } from '../rig.ts'

let rig: Rig | undefined
afterEach(() => rig?.stop())

test('what still waits is not forgotten, however many other pushes came after it: asked for again, it is still the same one', async () => {
  const barrier = createBarrier()
  rig = await createRig({
    wrap: (memory) => ({
      ...memory,
      deliver: async (outgoing) => {
        if (outgoing.chat_id === 'slow') await barrier.passed
        return memory.deliver(outgoing)
      },
    }),
  })
  const { push, dispatcher, workspace, texts } = rig
  const first = push('once', { chat_id: 'slow', push_id: 'p1' })
  for (let count = 0; count < 21_000; count++)
    await dispatcher.push(
      {
        ...main,
        push_id: `looped ${count}`,
        agent_id: 'main',
        session_id: 's',
        cwd: workspace,
        ...plain('text', 'x'),
      },
      ['pre_tool_call:a', 'on_error:b', 'on_stop:c'],
    )
  const again = push('once', { chat_id: 'slow', push_id: 'p1' })
  barrier.open()
  expect(await again).toEqual(await first)
  expect(texts('slow')).toEqual(['once'])
}, 60_000)
