import { expect, test } from 'vitest'
import { menuCalls } from '../../../../bots/telegram/connect/menus.ts'

test('everybody gets the menu in English, and each other language its own where it has one', () => {
  const hooks = { command: 'hooks', description: 'The switch', translated: { zh: '开关' } }
  const help = { command: 'help', description: 'What you can type' }
  expect(menuCalls([help])).toEqual([{ commands: [help] }])
  expect(menuCalls([hooks, help])).toEqual([
    { commands: [{ command: 'hooks', description: 'The switch' }, help] },
    { commands: [{ command: 'hooks', description: '开关' }, help], language_code: 'zh' },
  ])
})
