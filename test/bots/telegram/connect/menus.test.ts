import { expect, test } from 'vitest'
import { chatMenuCall, menuCalls } from '../../../../bots/telegram/connect/menus.ts'

test('everybody gets the menu in English, and each other language its own where it has one', () => {
  const hooks = { command: 'hooks', description: 'The switch', translated: { zh: '开关' } }
  const help = { command: 'help', description: 'What you can type' }
  expect(menuCalls([help])).toEqual([{ commands: [help] }])
  expect(menuCalls([hooks, help])).toEqual([
    { commands: [{ command: 'hooks', description: 'The switch' }, help] },
    { commands: [{ command: 'hooks', description: '开关' }, help], language_code: 'zh' },
  ])
})

test('a chat whose people chose a language gets the menu in it, and in English where there is no other', () => {
  const hooks = { command: 'hooks', description: 'The switch', translated: { zh: '开关' } }
  const scope = { type: 'chat', chat_id: 7 }
  expect(chatMenuCall([hooks], 7, 'zh')).toEqual({
    commands: [{ command: 'hooks', description: '开关' }],
    scope,
  })
  expect(chatMenuCall([hooks], 7, 'en')).toEqual({
    commands: [{ command: 'hooks', description: 'The switch' }],
    scope,
  })
})
