import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parcels, tap } from '../permissions/caller.ts'
import { until } from '../plane.ts'
import type { RealClient } from './clients.ts'
import { LAWS, limitOf } from './laws.ts'
import { prompt, startRig, type Rig } from './rig.ts'

const done = { text: 'All is said.' }

/** `more`: further words for `bridge install`. */
export const describeClient = (client: RealClient, ...more: readonly string[]): void => {
  describe([client.name, ...more].join(' '), { timeout: 120_000 }, () => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig(client)
    })
    afterAll(() => rig.stop())
    const told = (results: readonly { readonly text: string }[] | undefined): string =>
      (results ?? []).map(({ text }) => text).join('\n')

    test(LAWS.installed, async () => {
      const first = await rig.hookgate('install', client.name, ...more)
      expect(first.output).toContain('✓ Checked')
      expect(first.code).toBe(0)
      expect((await rig.hookgate('install', client.name, ...more, '--dry-run')).output).toContain(
        'nothing would change',
      )
    })

    test(LAWS.allow, async () => {
      const ran = await rig.run({ toolCalls: [client.shell('touch made')] }, done)
      expect(ran.made('made'), ran.output).toBe(true)
    })

    test(LAWS.deny, async () => {
      const ran = await rig.run({ toolCalls: [client.shell('touch made # deny-me')] }, done)
      expect(ran.made('made'), ran.output).toBe(false)
      expect(told(ran.turns[1]?.toolResults), ran.output).toContain('not on my machine')
    })

    test(LAWS.subagent, async () => {
      const told: string[] = []
      let asked = 0
      const ran = await rig.follow(({ messages, toolResults }) => {
        if (messages.some(({ role, text }) => role === 'user' && text.includes(prompt))) {
          asked += 1
          if (asked === 1) return { toolCalls: [client.subagent('look after the file')] }
          const call = asked === 2 ? client.awaited?.(toolResults[0]?.text ?? '') : undefined
          return call === undefined ? done : { toolCalls: [call] }
        }
        if (toolResults.length === 0) return { toolCalls: [client.shell('touch made # deny-me')] }
        told.push(...toolResults.map(({ text }) => text))
        return done
      })
      expect(ran.made('made'), ran.output).toBe(false)
      expect(told.join('\n'), ran.output).toContain('not on my machine')
    })

    test(LAWS.rewrite, async () => {
      const ran = await rig.run({ toolCalls: [client.shell('touch made # rewrite-me')] }, done)
      expect(ran.made('made'), ran.output).toBe(false)
      const isLimited = limitOf(client.name, 'rewrite') !== undefined
      expect(ran.made('rewritten'), ran.output).toBe(!isLimited)
      if (isLimited) expect(told(ran.turns[1]?.toolResults)).toContain('touch rewritten')
    })

    test(LAWS.ask, async () => {
      const from = parcels(rig.plane).length
      const running = rig.run({ toolCalls: [client.shell('touch made # ask-me')] }, done)
      const card = await until(
        'the question',
        () =>
          parcels(rig.plane)
            .slice(from)
            .find(({ text }) => text.includes('touch made # ask-me')),
        60_000,
      )
      expect(card.text).toContain('it looks odd')
      tap(rig.plane, card, 'Allow once')
      const ran = await running
      expect(ran.made('made'), ran.output).toBe(true)
    })

    test(LAWS.timeout, async () => {
      const ran = await rig.run({ toolCalls: [client.shell('touch made # hang-me')] }, done)
      expect(ran.made('made'), ran.output).toBe(false)
      expect(ran.turns.length).toBeGreaterThan(1)
    })

    test(LAWS.stop, async () => {
      await rig.plane.script('stubborn', '')
      const ran = await rig.run(done)
      // Asked once, and sent on three times.
      const turns = limitOf(client.name, 'stop')?.turns ?? 4
      expect(ran.turns.length, ran.output).toBe(turns)
      if (turns > 1) expect(JSON.stringify(ran.turns[1]?.body)).toContain('nobody looked at it yet')
    })

    test(LAWS.dead, async () => {
      await rig.plane.gate.stop()
      const ran = await rig.run({ toolCalls: [client.shell('touch made')] }, done)
      expect(ran.made('made'), ran.output).toBe(false)
    })
  })
}
