import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseChat } from '../../src/commands/parse.ts'
import { createTable } from '../../src/commands/table.ts'
import { createDesk, type Desk } from './rig.ts'

let desk: Desk
beforeEach(async () => {
  desk = await createDesk()
})
afterEach(() => desk.stop())

const needOf = (text: string): string => {
  const parsed = parseChat(text)
  const [line] = parsed.kind === 'commands' ? parsed.lines : []
  const found = line === undefined ? { unknown: [] } : createTable(desk.ports).lookUp(line)
  return 'unknown' in found ? 'unknown' : found.need
}

test('an attack is asked for as a phone spells it, and is privileged; doctor alone is not', async () => {
  for (const spelled of ['--attack', '—attack', '-attack', '–attack', '--ATTACK']) {
    expect(await desk.say(`/hooks doctor ${spelled}`), spelled).toBe('attacked')
    expect(needOf(`/hooks doctor ${spelled}`), spelled).toBe('privileged')
  }
  expect(await desk.say('/hooks doctor —attack all')).toBe('attacked, all told')
  expect(needOf('/hooks doctor')).toBe('owner')
  expect(await desk.say('/hooks doctor')).toContain('all well')
})
