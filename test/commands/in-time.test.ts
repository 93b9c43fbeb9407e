import { expect, test } from 'vitest'
import { answeredInTime } from '../../src/commands/shared-database.ts'
import type { Command, CommandContext, CommandPorts } from '../../src/commands/ports.ts'
import { noticeOf, type NoticeText } from '../../src/core/model/chat/notice.ts'
import { prose } from '../../src/core/model/chat/prose.ts'
import { cutOff } from '../../src/shared/gate/recovery.ts'
import { textOf } from './rig.ts'

const typed = async (run: Command['run'], lockdown: string | undefined) => {
  const told: string[] = []
  const ports = { gate: () => ({ lockdown }), now: () => 0 } as unknown as CommandPorts
  const command: Command = { path: 'hooks off', usage: '', summary: '', need: 'off', run }
  const context = { progress: (said: NoticeText) => void told.push(textOf(noticeOf(said))) }
  const startMs = performance.now()
  const answer = await answeredInTime(ports, command).run('', context as unknown as CommandContext)
  return { answer: textOf(noticeOf(answer)), told, tookMs: performance.now() - startMs }
}

test('a command that waits for a database that is away is answered in time, and again when it has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<NoticeText>()
  const { answer, told, tookMs } = await typed(() => promise, cutOff)
  expect(answer).toContain('LOCKDOWN: its database cannot be reached')
  expect(answer).toContain(
    'Nobody knows yet whether /hooks off counted. The answer comes when the database answers.',
  )
  expect(tookMs).toBeLessThan(2000)
  resolve(prose`Hooks are OFF.`)
  await expect.poll(() => told).toEqual(['Hooks are OFF.'])
})

test('a command that fails without its database says so, and not that it changed nothing', async () => {
  const { answer } = await typed(() => Promise.reject(new Error('no answer')), cutOff)
  expect(answer).toContain(
    'The database did not answer, so /hooks off was not finished. /hooks shows what holds now.',
  )
  expect(answer).not.toContain('Nothing was changed')
  await expect(typed(() => Promise.reject(new Error('a bug')), undefined)).rejects.toThrow('a bug')
})

test('a command that takes long for another reason is waited for', async () => {
  const slow = (): Promise<NoticeText> =>
    new Promise((resolve) => {
      setTimeout(resolve, 1700, prose`Tried.`)
    })
  expect(await typed(slow, undefined)).toMatchObject({ answer: 'Tried.', told: [] })
})
