import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { RawApi } from 'grammy'
import { expect, test } from 'vitest'
import { methods, type MethodClass } from '../../../bots/telegram/methods.ts'
import { startBotApi } from '../../fixtures/bot-api/server.ts'
import { rawCall, token, wire } from './rig.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const names = (of: MethodClass): readonly string[] => Object.entries(methods).flatMap(([name, is]) => (is === of ? [name] : []))

interface TextFields {
  readonly groups: Readonly<Record<string, readonly string[]>>
  readonly indirect: Readonly<Record<string, string>>
  readonly methods: Readonly<Record<string, { readonly text: readonly string[]; readonly url: readonly string[]; readonly meta: readonly string[]; readonly groups: readonly string[] }>>
}
const fields = JSON.parse(read('test/fixtures/tg-text-fields.json')) as TextFields

test('the table has every method of the installed types, and no other', () => {
  const [, types = ''] = read('node_modules/@grammyjs/types/methods.d.ts').split('export type ApiMethods<F> = {\n')
  const installed = [...(types.split('\n};')[0] ?? '').matchAll(/^ {4}([a-z][A-Za-z]+)[(:]/gm)].map(([, name]) => name ?? '')
  expect(installed.length).toBeGreaterThan(180)
  expect(Object.keys(methods).sort()).toEqual(installed.sort())
})

test('a method that an upgrade brings fails the type check until it is in the table', () => {
  // @ts-expect-error: the planted method has no class
  const upgraded = methods satisfies Record<keyof RawApi | 'whisperMessage', MethodClass>
  expect(upgraded).toBe(methods)
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-methods-'))
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.ts'] }))
    const check = (source: string): string => {
      writeFileSync(join(folder, 'methods.ts'), source)
      return spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '--project', folder], { encoding: 'utf8' }).stdout
    }
    const table = read('bots/telegram/methods.ts')
    expect(check(table)).toBe('')
    // To the compiler a row that is missing and a method that is new are the same.
    expect(check(table.replace(/^ {2}sendGift: .*\n/m, ''))).toMatch(/sendGift/)
    expect(check(table.replace('sendGift:', 'whisperMessage: \'never\',\n  sendGift:'))).toMatch(/whisperMessage/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('what carries text is free in no form but the one that leaves it out', () => {
  expect(names('free')).toEqual(['getUpdates', 'getMe', 'setMyCommands', 'sendChatAction', 'getChat', 'answerCallbackQuery'])
  for (const name of [...Object.keys(fields.methods), ...Object.keys(fields.indirect)]) expect(methods, name).toHaveProperty(name)
  expect(names('free').filter((name) => name in fields.methods)).toEqual(['setMyCommands', 'answerCallbackQuery'])
})

test('only forms of a push can be minted', () => {
  expect(names('minted').join(' ')).toBe(
    'sendMessage editMessageText editMessageReplyMarkup sendMessageDraft sendPhoto sendDocument sendVoice sendAudio sendVideo sendAnimation '
      + 'sendVideoNote sendMediaGroup editMessageCaption editMessageMedia sendLocation editMessageLiveLocation stopMessageLiveLocation sendVenue '
      + 'sendContact sendPoll stopPoll setMessageReaction createForumTopic editForumTopic pinChatMessage',
  )
})

/** Every path of the list that names one field; what it says in prose beside them is left out. */
const pathsOf = ({ text, url, meta, groups }: TextFields['methods'][string]): readonly string[] => {
  const ofGroups = groups.flatMap((group) => fields.groups[group] ?? []).map((path) => path.replace('…', 'reply_markup.inline_keyboard[][]'))
  return [...text, ...url, ...meta, ...ofGroups].filter((path) => /^[\w.[\]]+$/.test(path))
}

/** `a[].b` as `{a: [{b: value}]}`. */
const nest = (path: string, value: unknown): unknown => {
  const [, key = '', lists = '', rest = ''] = /^(\w+)((?:\[\])*)\.?(.*)$/.exec(path) ?? []
  let inner: unknown = rest === '' ? value : nest(rest, value)
  for (let depth = 0; depth < lists.length / 2; depth++) inner = [inner]
  return { [key]: inner }
}

test('a secret in any text field of any method is refused and recorded, and no byte of it arrives', async () => {
  const server = await startBotApi({ token })
  const tripped: string[] = []
  try {
    const { bot } = wire(server, (what) => tripped.push(what))
    const calls = Object.entries(fields.methods).flatMap(([name, of]) => pathsOf(of).map((path) => [name, path] as const))
    expect(calls.length).toBeGreaterThan(600)
    for (const [name, path] of calls) {
      // With a free method only the secret is wrong.
      const right = { setMyCommands: {}, answerCallbackQuery: { callback_query_id: '42' } }[name] ?? { chat_id: 7 }
      const payload = { ...right, ...(nest(path, 'canary') as object) }
      await expect(rawCall(bot.api, name)(payload), `${name} ${path}`).rejects.toMatchObject({ error_code: 403 })
    }
    expect(tripped).toEqual(calls.map(([name]) => name))
    expect(server.calls()).toEqual([])
  } finally {
    await server.stop()
  }
})
