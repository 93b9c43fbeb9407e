import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitUntilGone } from '../agents/scripted-gate.ts'
import { tap } from '../permissions/caller.ts'
import { until } from '../plane.ts'
import type { AcpAgent } from './acp-agents.ts'
import { ACP_LAWS, acpLimitOf } from './acp-laws.ts'
import { startAcpRig, type AcpRig, type Turn } from './acp-rig.ts'

const done = { text: 'All is said.' }

export const describeAcp = (agent: AcpAgent): void => {
  describe(agent.name, { timeout: 120_000 }, () => {
    let rig: AcpRig
    beforeAll(async () => {
      rig = await startAcpRig(agent)
    })
    afterAll(() => rig.stop())
    /** What the model was told after its first words. */
    const told = ({ asked }: Turn): string => JSON.stringify(asked.slice(1).map(({ messages }) => messages))
    const show = ({ texts }: Turn): string => JSON.stringify(texts)

    test(ACP_LAWS.chat, async () => {
      expect(show(await rig.turn([{ text: 'Good morning.' }]))).toContain('Good morning.')
    })

    test(ACP_LAWS.allow, async () => {
      const turn = await rig.turn([{ toolCalls: [agent.shell('touch made')] }, done])
      expect(rig.made('made'), show(turn)).toBe(true)
      expect(show(turn)).toContain('All is said.')
      // One call is one question, that names it.
      expect(turn.texts.filter((text) => text.includes(' · denied at '))).toEqual([
        expect.stringContaining('command: touch made\n'),
      ])
    })

    test(ACP_LAWS.deny, async () => {
      const turn = await rig.turn([{ toolCalls: [agent.shell('touch made # deny-me')] }, done])
      expect(rig.made('made'), show(turn)).toBe(false)
      expect(turn.texts).toContainEqual(expect.stringMatching(/bash[^]*not on my machine/))
      expect(told(turn), show(turn)).toContain('not on my machine')
    })

    test(ACP_LAWS.rewrite, async () => {
      const turn = await rig.turn([{ toolCalls: [agent.shell('touch made # rewrite-me')] }, done])
      expect(rig.made('made'), show(turn)).toBe(false)
      const isRefused = acpLimitOf(agent.title, 'rewrite')?.isRefused === true
      expect(rig.made('rewritten'), show(turn)).toBe(!isRefused)
      if (isRefused) expect(told(turn)).toContain('touch rewritten')
    })

    test(ACP_LAWS.ask, async () => {
      const cards: string[] = []
      const turn = await rig.turn([{ toolCalls: [agent.shell('touch made # ask-me')] }, done], (card) => {
        cards.push(card.text)
        expect(rig.made('made')).toBe(false)
        tap(rig.plane, card, 'Allow once')
      })
      expect(cards).toEqual([expect.stringMatching(/touch made # ask-me[^]*it looks odd/)])
      expect(rig.made('made'), show(turn)).toBe(true)
      expect(show(turn)).toContain('All is said.')
    })

    test(ACP_LAWS.stop, async () => {
      const turn = rig.turn([{ toolCalls: [agent.shell('echo $$ > made; tail -f /dev/null')] }, done])
      const pid = await until(
        'the command to run',
        () => (rig.made('made') && rig.text('made').endsWith('\n') ? Number(rig.text('made')) : undefined),
        60_000,
      )
      rig.plane.say('/stop')
      expect((await turn).texts).toContain('Stopped.')
      await waitUntilGone(pid)
    })

    test(ACP_LAWS.new, async () => {
      await rig.turn([{ text: 'I remember the heron.' }])
      expect(JSON.stringify((await rig.turn([done])).asked[0]?.body)).toContain('the heron')
      await rig.plane.ask('/new', () => true)
      const turn = await rig.turn([done])
      expect(JSON.stringify(turn.asked[0]?.body)).not.toContain('the heron')
      expect(show(turn)).toContain('All is said.')
    })

    test(ACP_LAWS.unasked, async () => {
      await rig.plane.script('deny-me.txt', 'nothing\n')
      await rig.turn([{ toolCalls: [agent.look(join(rig.plane.workspace, 'deny-me.txt'))] }, done])
      const isAsked = acpLimitOf(agent.title, 'unasked')?.isRefused === true
      // Blocked steps that come soon after one another are told together, some time later.
      await rig.said(
        isAsked
          ? /(?:call of|I did not run) [^]*not on my machine/
          : /^I stopped because the agent ran .* without asking/,
      )
    })
  })
}
