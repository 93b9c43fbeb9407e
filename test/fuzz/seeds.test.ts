import { expect, test } from 'vitest'
import type { Source } from '../../src/proposals/sources/source.ts'
import { sessionClients } from '../../src/history/sessions/table.ts'
import { parsers } from './parsers.ts'
import { seedsOf } from './targets.ts'
import type { Target } from './target.ts'

const doors: readonly (readonly [string, Target])[] = Object.entries(parsers)

test.each(doors)(
  '%s: what the fuzzer begins with, and what it found once, is read without a fault',
  async (name, target) => {
    const door = await target.open()
    try {
      for (const seed of seedsOf(name)) await door.take(seed)
    } finally {
      await door.close?.()
    }
  },
)

test('what the fuzzer begins with reaches the reader, so that its changes do, too', async () => {
  for (const name of [
    'shell-hooks',
    'claude-settings',
    'docker-agent',
    'copilot',
    'kimi',
    'hook-md',
  ] as const) {
    const { take } = await parsers[name].open()
    const read = take(parsers[name].seeds?.[0] ?? '') as Source
    expect([name, ...new Set(read.proposed.map(({ kind }) => kind))]).toEqual([name, 'entry'])
  }
  const sessions = await parsers.sessions.open()
  expect(parsers.sessions.seeds?.map((seed) => (sessions.take(seed) as readonly unknown[]).length)).toEqual(
    sessionClients.map(() => 1),
  )
  await sessions.close?.()
})
