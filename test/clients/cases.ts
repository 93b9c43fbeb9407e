import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sentMessages, tap } from '../permissions/caller.ts'
import { until } from '../plane.ts'
import type { RealClient } from './clients.ts'
import { LAWS, limitOf, type Law } from './laws.ts'
import { prompt, startRig, type Rig } from './rig.ts'

const done = { text: 'All is said.' }

/** The last one ends the gate. */
const allLaws = Object.keys(LAWS) as Law[]

/** `more`: further words for `bridge install`. `laws`: what is tried, in this order. */
export const describeClient = (
  client: RealClient,
  { more = [], laws = allLaws }: { readonly more?: readonly string[]; readonly laws?: readonly Law[] } = {},
): void => {
  describe([client.name, ...more].join(' '), { timeout: 300_000 }, () => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig(client)
      if (!laws.includes('installed')) await rig.hookgate('install', client.name, ...more)
    })
    afterAll(() => rig.stop())
    const told = (results: readonly { readonly text: string }[] | undefined): string =>
      (results ?? []).map(({ text }) => text).join('\n')

    const installed = async (): Promise<void> => {
      const first = await rig.hookgate('install', client.name, ...more)
      expect(first.output).toContain('✓ Checked')
      expect(first.code).toBe(0)
      expect((await rig.hookgate('install', client.name, ...more, '--dry-run')).output).toContain(
        'nothing would change',
      )
    }

    const allow = async (): Promise<void> => {
      const ran = await rig.run({ toolCalls: [client.shell('touch made')] }, done)
      expect(ran.made('made'), ran.output).toBe(true)
    }

    const deny = async (): Promise<void> => {
      const ran = await rig.run({ toolCalls: [client.shell('touch made # deny-me')] }, done)
      expect(ran.made('made'), ran.output).toBe(false)
      expect(told(ran.turns[1]?.toolResults), ran.output).toContain('not on my machine')
    }

    const subagent = async (): Promise<void> => {
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
    }

    const rewrite = async (): Promise<void> => {
      const ran = await rig.run({ toolCalls: [client.shell('touch made # rewrite-me')] }, done)
      expect(ran.made('made'), ran.output).toBe(false)
      const isLimited = limitOf(client.name, 'rewrite') !== undefined
      expect(ran.made('rewritten'), ran.output).toBe(!isLimited)
      if (isLimited) expect(told(ran.turns[1]?.toolResults)).toContain('touch rewritten')
    }

    const ask = async (): Promise<void> => {
      const from = sentMessages(rig.plane).length
      const running = rig.run({ toolCalls: [client.shell('touch made # ask-me')] }, done)
      const card = await until(
        'the question',
        () =>
          sentMessages(rig.plane)
            .slice(from)
            .find(({ text }) => text.includes('touch made # ask-me')),
        180_000,
      )
      expect(card.text).toContain('it looks odd')
      tap(rig.plane, card, 'Allow once')
      const ran = await running
      expect(ran.made('made'), ran.output).toBe(true)
    }

    const timeout = async (): Promise<void> => {
      const ran = await rig.run({ toolCalls: [client.shell('touch made # hang-me')] }, done)
      expect(ran.made('made'), ran.output).toBe(false)
      expect(ran.turns.length).toBeGreaterThan(1)
    }

    const stop = async (): Promise<void> => {
      await rig.plane.script('stubborn', '')
      const ran = await rig.run(done)
      // Asked once, and sent on three times.
      const turns = limitOf(client.name, 'stop')?.turns ?? 4
      expect(ran.turns.length, ran.output).toBe(turns)
      if (turns > 1) expect(JSON.stringify(ran.turns[1]?.body)).toContain('nobody looked at it yet')
    }

    const dead = async (): Promise<void> => {
      await rig.plane.gate.stop()
      const ran = await rig.run({ toolCalls: [client.shell('touch made')] }, done)
      expect(ran.made('made'), ran.output).toBe(false)
    }

    const cases: Readonly<Record<Law, () => Promise<void>>> = {
      installed,
      allow,
      deny,
      subagent,
      rewrite,
      ask,
      timeout,
      stop,
      dead,
    }
    for (const law of laws) test(LAWS[law], cases[law])
  })
}
