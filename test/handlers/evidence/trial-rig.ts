import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { call, sentMessages, send, tap } from '../../permissions/caller.ts'
import { startPlane, until, type Plane } from '../../plane.ts'

export const over = 'Nothing was decided by this'

export interface TrialRig extends Plane {
  /** Lets the agent use its tool, once for each command, while no hook is in force. */
  run(...commands: readonly string[]): Promise<void>
  /** Proposes one hook, and gives its name. */
  offer(options: string, source?: string): Promise<string>
  /** Tries a hook and resolves with the text of its card at the end. */
  tryIt(handle: string, rest?: string): Promise<string>
  /** Tries a hook and resolves with its card when the trial has begun. */
  begin(handle: string, rest?: string): Promise<OutgoingMessage>
  /** What stands in the place of a card at last. */
  endOf(card: OutgoingMessage): Promise<string>
  tapOn(card: OutgoingMessage, label: string): void
}

/** A whole plane in which one hook after another is tried. */
export const startTrials = async (
  env: Readonly<Record<string, string>> = {},
  gateYaml = '',
): Promise<TrialRig> => {
  const plane = await startPlane('hooks: []\n', {}, env, 'none', {}, gateYaml)
  let count = 0
  const begin: TrialRig['begin'] = async (handle, rest = '') => {
    const from = sentMessages(plane).length
    plane.say(`/hooks try ${handle}${rest}`)
    return await until('the card of the trial', () => {
      const answers = sentMessages(plane).slice(from)
      const refused = answers.find(({ text }) => text.includes('was not tried'))
      if (refused !== undefined) throw new Error(refused.text)
      return answers.find(({ text }) => text.includes('Trial of'))
    })
  }
  const endOf: TrialRig['endOf'] = (card) =>
    until(
      'the end of the trial',
      () =>
        sentMessages(plane).find(({ replaces, text }) => replaces === card.outgoing_id && text.includes(over))
          ?.text,
    )
  return {
    ...plane,
    run: async (...commands) => {
      for (const command of commands) await send(plane, 'pre_tool_call', call('bash', { command }))
    },
    offer: async (options, source) => {
      count += 1
      const name = `./hook-${count}.sh`
      if (source !== undefined) await plane.script(name, source)
      await plane.propose(`hooks:\n  - {event: pre_tool_call, command: ${name}, ${options}}\n`)
      return name
    },
    begin,
    endOf,
    tryIt: async (handle, rest) => await endOf(await begin(handle, rest)),
    tapOn: (card, label) => tap(plane, card, label),
  }
}
