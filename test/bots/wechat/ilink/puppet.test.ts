import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createPuppet } from '../../../../bots/wechat/ilink/puppet.ts'
import { closePuppet } from '../../../../bots/wechat/puppet-guard.ts'

const make = () =>
  createPuppet(
    {},
    { log: () => undefined, now: Date.now, elapsedMs: () => performance.now(), trouble: () => undefined },
  ) as Record<string, (...args: unknown[]) => unknown>

/** What the installed wechaty-puppet asks of a puppet. */
const asked = (): readonly string[] => {
  // …/dist/cjs/src/mods/mod.js; only the sources beside it name what is abstract.
  const root = join(dirname(createRequire(import.meta.url).resolve('wechaty-puppet')), '../../../..')
  const sources = ['mixins', 'puppet'].flatMap((folder) => {
    const at = join(root, 'src', folder)
    return readdirSync(at)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(at, name), 'utf8'))
  })
  return [
    ...new Set(
      sources.flatMap((source) =>
        [...source.matchAll(/^\s*abstract (?:override )?(?!class)(\w+) *\(/gm)].map(([, name = '']) => name),
      ),
    ),
  ].sort()
}

/** What hookgate uses. */
const used = new Set([
  'contactList',
  'contactRawPayload',
  'contactRawPayloadParser',
  'ding',
  'messageFile',
  'messageImage',
  'messageRawPayload',
  'messageRawPayloadParser',
  'messageSendFile',
  'messageSendText',
  'onStart',
  'onStop',
  'roomList',
])

test('everything that wechaty may ask of a puppet is there, and all but what hookgate uses refuses in words', async () => {
  const puppet = make()
  expect(asked().length).toBeGreaterThan(50)
  expect(asked().filter((name) => typeof puppet[name] !== 'function')).toEqual([])
  for (const name of asked().filter((name) => !used.has(name))) {
    await expect(Promise.resolve().then(() => puppet[name]?.('x', 'y'))).rejects.toThrow(
      `got "${name}". Only text and files in private chats are possible.`,
    )
  }
})

test('closed, it sends through nothing but its guard', async () => {
  const puppet = make()
  const tripped: string[] = []
  const { sendText, sendFile } = closePuppet(puppet, (method) => tripped.push(method))
  for (const name of [
    'messageSendText',
    'messageSendFile',
    'messageForward',
    'messageSend',
    'postPublish',
    'tap',
  ]) {
    await expect(Promise.resolve().then(() => puppet[name]?.('ann', 'x'))).rejects.toThrow(
      'through the dispatcher',
    )
  }
  expect(tripped).toEqual([
    'messageSendText',
    'messageSendFile',
    'messageForward',
    'messageSend',
    'postPublish',
    'tap',
  ])
  await expect(sendText('ann', 'x')).rejects.toThrow('WeChat is not logged in.')
  await expect(sendFile('ann', { name: 'a.txt', bytes: Buffer.from('x') })).rejects.toThrow(
    'WeChat is not logged in.',
  )
})
