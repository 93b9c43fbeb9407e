import { expect, onTestFinished, test } from 'vitest'
import { wechatSpellings } from '../../core/dispatcher/link-spellings.ts'
import { forms, startOver, valid } from '../../core/dispatcher/text/link-forms.ts'
import { createRig } from './rig.ts'

test('an address of WeChat itself cannot be tapped there, in any spelling', async () => {
  const made: { wechat?: Awaited<ReturnType<typeof createRig>> } = {}
  const rig = await startOver(async (ports) => {
    made.wechat = await createRig({ ports })
    return made.wechat.channel
  })
  onTestFinished(() => rig.stop())
  onTestFinished(async () => await made.wechat?.channel.stop())
  for (const form of ['words in a sentence', 'words behind Chinese', 'links on words', 'buttons']) {
    for (const asked of (await forms[form]?.(
      /words i|behind/.test(form) ? wechatSpellings : valid(wechatSpellings),
    )) ?? []) {
      expect(await rig.push('', { channel: 'wechat', chat_id: 'alice', ...asked }), form).toMatchObject({
        outcome: 'delivered',
      })
    }
  }
  const arrived = made.wechat?.arrived.join('\n') ?? ''
  expect(arrived.split('dl/business/').length).toBeGreaterThanOrEqual(5)
  expect(
    arrived.match(/\S*(?:(?:weixin|wxp):\S|(?:wechat|qq)\S*\.com\S|wxaurl\.cn|u(?:\.|%2E)wechat)\S*/gi),
  ).toBeNull()
  await rig.push('See https://mp.weixin.qq.com/s/abc and weixin: my name', {
    channel: 'wechat',
    chat_id: 'alice',
  })
  expect(made.wechat?.arrived.at(-1)).toBe('alice: See https://mp.weixin.qq.com/s/abc and weixin: my name')
})
