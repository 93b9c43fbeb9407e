import { expect, test } from 'vitest'
import { startPlane, until } from '../../../plane.ts'

test('over a messenger: a job is proposed, its card comes by itself, and the approved job asks', async () => {
  const plane = await startPlane()
  try {
    await plane.ask('/hooks gallery ask before a push', (text) =>
      text.includes('Proposed: Ask before a push'),
    )
    await until('its card', () => plane.texts().some((text) => text.includes('A hook waits for you')))
    expect(await plane.read('config/shell_hooks.yaml')).toContain('name: Ask before a push')
    await plane.ask('/hooks approve pre_tool_call ask_owner\n/hooks on', (text) =>
      text.includes('Hooks are ON'),
    )
    await plane.ask('!git push', (text) =>
      text.includes(' Ask before a push: It sends commits to a git server.'),
    )
    await plane.ask('/lang zh', (text) => text.includes('中文'))
    await plane.ask('/hooks protect', (text) => text.includes('✗ 机密不外泄'))
    expect(plane.memory.sent().at(-1)?.buttons?.[0]?.[0]?.label).toBe('保护我')
  } finally {
    await plane.stop()
  }
})
