import { join } from 'node:path'
import { isObject } from '../../core/model/base/json.ts'
import type { AttackedCard, Target } from '../forgery.ts'
import { ask, json } from '../means.ts'
import type { Owner, ShownButton, ShownMessage } from './owner.ts'
import { surelyWithinMs, until } from './until.ts'

const dayMs = 24 * 3_600_000
const heldText = 'HOLDME: what the owner has to release'
const [moreAnswers, allowSession] = ['More…', 'Allow for this session']
const call = (session: string, words: string) => ({
  session_id: session,
  cwd: '/',
  tool_name: 'bash',
  tool_input: { command: words },
})
const asked = call('waits', 'ASKME waits')
const allowed = call('allowed', 'ASKME allowed')
const granted = call('granted', 'git log ASKME -5')

export const noAnswer = 'no answer'
/** Nothing listens on the socket, or it is gone. However busy a gate is, its socket takes a connection. */
const noListener = 'nothing listens'
const hasNoListener = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT')

/** Sends one request to an agent's socket. Returns its answer, `noAnswer` or `noListener`. */
export const post = async (
  home: string,
  agent: string,
  path: string,
  body: object,
  {
    headers = {},
    timeoutMs = surelyWithinMs,
  }: { headers?: Readonly<Record<string, string>>; timeoutMs?: number } = {},
): Promise<unknown> => {
  try {
    const { text } = await ask(
      { socketPath: join(home, 'run', `${agent}.sock`) },
      { method: 'POST', path, headers: { ...json, ...headers }, body: JSON.stringify(body), timeoutMs },
    )
    const answer: unknown = JSON.parse(text)
    return answer
  } catch (error) {
    return hasNoListener(error) ? noListener : noAnswer
  }
}

export const verdictOf = (answer: unknown): string =>
  isObject(answer) ? JSON.stringify([answer['verdict'], answer['reason']]) : noAnswer

/** Manages what waits for the owner. The hooks of the gate ask about ASKME and hold HOLDME. */
export const createWaiting = (home: string, owner: Owner, [main = '', other = main]: readonly string[]) => {
  const { channel } = owner.agentsChat
  const held = { push_id: 'held', ...owner.agentsChat, text: heldText }
  const heldCard = `Held: a message from ${main} to ${channel}`
  /** `waits`, or the answer to the question of the other agent. */
  let answer = 'none'

  /**
   * Returns the newest card with these words. A card that the gate had not sent when it was killed has no
   * buttons, so it does not count.
   */
  const shown = (words: string): ShownMessage | undefined =>
    owner
      .shown()
      .toReversed()
      .find(({ text, buttons }) => text.includes(words) && buttons.length > 0)
  const cardOf = (words: string, body: AttackedCard['body']): AttackedCard | undefined => {
    const found = shown(words)
    return found === undefined
      ? undefined
      : {
          handle: /^🛡 ([a-z0-9]{5}) /u.exec(found.text)?.[1] ?? '',
          presses: found.buttons.map(({ press }) => press),
          body,
        }
  }
  const report = (agent: string, body: object, withinMs = dayMs): Promise<unknown> =>
    post(home, agent, '/v1/events/pre_tool_call', body, {
      headers: { 'x-hookgate-ask-ms': String(withinMs) },
      timeoutMs: withinMs,
    })
  const buttonNamed = ({ buttons }: ShownMessage, label: string): ShownButton => {
    const button = buttons.find((one) => one.label === label)
    if (button === undefined)
      throw new Error(
        `Expected a button "${label}", got ${buttons.map((one) => `"${one.label}"`).join(', ')}.`,
      )
    return button
  }

  return {
    /** Sends a message of the agent that is held from now on. */
    hold: async (): Promise<void> => {
      const said = await post(home, main, '/v1/push', held)
      if (!isObject(said) || said['outcome'] !== 'held')
        throw new Error(`Expected a message to be held, got ${JSON.stringify(said)}.`)
      await until('the card of the held message', () => shown(heldCard))
    },
    /** Gives a grant by a pattern that the owner types, which answers such calls from now on. */
    grant: async (): Promise<void> => {
      const first = report(main, granted, surelyWithinMs)
      const card = await until('the card of the grant', () => cardOf('git log ASKME', granted))
      await owner.say(`/y ${card.handle} always pattern 30d git .*-5`)
      for (const said of [await first, await report(main, granted, surelyWithinMs)])
        if (verdictOf(said) !== '["allow",null]')
          throw new Error(`Expected what a grant allows, got ${verdictOf(said)}.`)
    },
    /**
     * Allows one call for its session with a button, and makes another call wait. The gate has just started.
     */
    raise: async (): Promise<void> => {
      answer = 'none'
      const first = report(main, allowed, surelyWithinMs)
      // In lockdown the call is answered at once.
      const card = await Promise.race([
        until('the first card', () => shown('ASKME allowed')),
        first.then((said): never => {
          throw new Error(`Expected a question, got ${verdictOf(said)}.`)
        }),
      ])
      await owner.press(buttonNamed(card, moreAnswers), card)
      const opened = await until('the other answers', () => {
        const now = shown('ASKME allowed')
        return now?.buttons.some(({ label }) => label === allowSession) === true ? now : undefined
      })
      await owner.press(buttonNamed(opened, allowSession), opened)
      for (const said of [await first, await report(main, allowed, surelyWithinMs)])
        if (verdictOf(said) !== '["allow",null]')
          throw new Error(`Expected what was allowed for the session, got ${verdictOf(said)}.`)
      answer = 'waits'
      void report(other, asked).then((said) => (answer = verdictOf(said)))
      const all = ['ASKME waits', heldCard]
      await until('what waits', () => all.every((words) => shown(words) !== undefined)).catch(
        (error: unknown) => {
          throw new Error(
            `${String(error)} The other agent had ${answer}. It shows:\n${owner.texts().join('\n---\n')}`,
          )
        },
      )
    },
    /** Returns whether both still wait, as the asking agent and the chats see it. */
    facts: (): { readonly asked: string; readonly held: string } => {
      const isAnswered = owner
        .texts()
        .some((text) => new RegExp(`(Released|Withheld): .* from ${main} to ${channel}`).test(text))
      return {
        asked: answer,
        held: owner.fromAgent().includes(heldText) ? 'it left' : isAnswered ? 'it was answered' : 'waits',
      }
    },
    target: (): Pick<Target, 'waiting'> => {
      const [one, another] = [cardOf('ASKME waits', asked), cardOf(heldCard, held)]
      return one === undefined || another === undefined
        ? {}
        : { waiting: { asked: one, held: another, allowed, granted } }
    },
    /** Returns how many questions came from HTTP requests that the gate must refuse. */
    unheard: (): number => owner.texts().filter((text) => text.includes('ASKME unheard')).length,
    /** Returns how many cards of a question do not show what their button sends. */
    unseen: (): number =>
      owner
        .texts()
        .filter((text) => text.includes('Keep the backups') && !text.includes('Delete the backups')).length,
  }
}
