/** Those who use the gates during a run. Each notes what it did, and how that ended. */
import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { cli } from '../e2e/program.ts'
import type { BotApi } from '../fixtures/bot-api/server.ts'
import { onItsWayMs } from './checker.ts'
import { commander, groups, reasons, talker, type Fleet } from './fleet.ts'
import type { ActName, Arrival, Call, Ending, EventCall } from './history.ts'
import { fireAt, pushTo, type Answer } from './socket-client.ts'

/** A command, a prompt or a push is waited for so long. It outlasts each fault and a change of gates. */
const patienceMs = 60_000
const eventPatienceMs = 2500
const pushPatienceMs = 5000
const lookEveryMs = 20
/** A receipt that takes so long has waited for another gate. */
const lateMs = 2000

interface Receipt {
  readonly pattern: RegExp
  readonly ending: Ending
  readonly isChange: boolean
}
const stopped = /was stopped while it worked on your last|hookgate failed while it handled your last message/
const unclear: Receipt = { pattern: stopped, ending: 'unknown', isChange: false }
const ok = (pattern: RegExp, isChange = true): Receipt => ({ pattern, ending: 'ok', isChange })
/** It was refused, as far as the gate knows. */
const refused = (pattern: RegExp): Receipt => ({ pattern, ending: 'unknown', isChange: false })
const away = refused(
  /^🛡 (?:Nothing was changed\.|The database did not answer, so \S+(?: \S+)* was not finished\.)/,
)

const commands: Readonly<Record<ActName, { readonly words: string; readonly receipts: readonly Receipt[] }>> =
  {
    on: {
      words: '/hooks on',
      receipts: [
        ok(/^🛡 Hooks are ON\./),
        ok(/^🛡 Hooks are ON \(they/, false),
        refused(/^🛡 ✗ Hooks are/),
        away,
      ],
    },
    off: {
      words: '/hooks off',
      receipts: [
        ok(/^🛡 Hooks are OFF\./),
        ok(/^🛡 Hooks are OFF \(they/, false),
        refused(/^🛡 ✗ Hooks are/),
        away,
      ],
    },
    approve: {
      words: '/hooks approve on_outbound_message ./messages.sh',
      receipts: [
        ok(/✓ Approved: on_outbound/),
        ok(/✓ Already approved: on_outbound/, false),
        // It was shown, and can be approved by the next try.
        { pattern: /Nothing was approved/, ending: 'failed', isChange: false },
        refused(/was not approved/),
        away,
      ],
    },
    revoke: {
      words: '/hooks revoke ./messages.sh',
      receipts: [
        ok(/^🛡 Revoked: on_outbound/),
        ok(/was not approved on|No approved hook runs/, false),
        refused(/could not be revoked/),
        away,
      ],
    },
  }
const list = /^🛡 Hooks are (ON|OFF)(?:$|: none|\. Nothing protects)/mu
/** The list of a gate that cannot reach its database. */
const cutOff = /^🛡 LOCKDOWN: its database cannot be reached/
const promptTold =
  /was stopped while it worked on your last|hookgate failed while it handled|The agent stopped while|May not have arrived|I did not run bash|Your message was blocked and did not reach me/

export interface CallerPorts {
  readonly api: BotApi
  readonly fleet: Fleet
  /** Resolves when nothing waits to be read or to be sent. */
  readonly calm: () => Promise<void>
}

/** What a chat shows after the `from`th text and fits, or undefined when the time is over. */
const shown = async <T>(
  texts: () => readonly string[],
  from: number,
  find: (text: string) => T | undefined,
): Promise<T | undefined> => {
  const startMs = performance.now()
  while (performance.now() - startMs < patienceMs) {
    for (const text of texts().slice(from)) {
      const found = find(text)
      if (found !== undefined) return found
    }
    await pause(lookEveryMs)
  }
  return undefined
}

export const createCallers = ({ api, fleet, calm }: CallerPorts) => {
  const calls: Call[] = []
  const unanswered: string[] = []
  const alive = () => fleet.members.filter((member) => member.isAlive())

  /** The owner says it and waits for the receipt. */
  const act = async (name: ActName): Promise<void> => {
    const { words, receipts } = commands[name]
    const texts = (): readonly string[] => api.texts(commander)
    const from = texts().length
    const startMs = performance.now()
    api.say(words, commander)
    const receipt = await shown(texts, from, (text) =>
      [...receipts, unclear].find(({ pattern }) => pattern.test(text)),
    )
    const { ending, isChange } = receipt ?? unclear
    const endMs = performance.now()
    const last = calls.findLast(({ kind }) => kind === 'act')
    // A gate that follows another one may send a receipt once more, since a notice may arrive twice.
    const isRepeated = last?.kind === 'act' && last.act === name && last.ending === 'ok'
    calls.push({ kind: 'act', act: name, startMs, endMs, ending, isChange: isChange && !isRepeated })
    if (receipt === undefined) unanswered.push(words)
    // A receipt that comes late or twice must not count for the next command.
    if (ending === 'unknown' || endMs - startMs > lateMs) await calm()
    if (ending === 'failed') await act(name)
  }

  const read = async (): Promise<void> => {
    const texts = (): readonly string[] => api.texts(commander)
    const from = texts().length
    const startMs = performance.now()
    api.say('/hooks', commander)
    const found = await shown(
      texts,
      from,
      (text) => list.exec(text)?.[1] ?? (stopped.test(text) || cutOff.test(text) ? '' : undefined),
    )
    if (found === undefined) unanswered.push('/hooks')
    if (found !== 'ON' && found !== 'OFF') return calm()
    const endMs = performance.now()
    calls.push({ kind: 'read', startMs, endMs, ending: 'ok', isOn: found === 'ON' })
  }

  /** Asks again and again with one id, at whichever gate answers, until it is told an end. */
  const push = async (text: string, isForbidden: boolean, chat: number): Promise<void> => {
    const startMs = performance.now()
    const chat_id = String(groups[chat % groups.length])
    let told: string | undefined
    for (let tries = 0; performance.now() - startMs < patienceMs; tries++) {
      const member = fleet.members[tries % fleet.members.length]
      const answer =
        member === undefined || !member.isAlive()
          ? undefined
          : await pushTo(member.gate, { push_id: text, chat_id, text }, pushPatienceMs)
      const outcome = answer?.status === 200 ? answer.body['outcome'] : undefined
      if (typeof outcome === 'string') told = outcome
      if (['delivered', 'withheld', 'failed', 'unknown'].includes(String(outcome))) break
      await pause(100)
    }
    const call = { kind: 'push', text, isForbidden, startMs, endMs: performance.now() } as const
    calls.push(told === undefined ? { ...call, ending: 'unknown' } : { ...call, ending: 'ok', told })
  }

  const verdictIn = (answer: Answer | undefined): EventCall['verdict'] => {
    if (answer?.status !== 200) return undefined
    if (answer.body['verdict'] === 'allow') return 'allowed'
    return answer.body['reason'] === reasons.event ? 'blocked' : 'held'
  }
  const note = (gate: string, startMs: number, verdict: EventCall['verdict']): void => {
    const ending = verdict === undefined ? 'unknown' : 'ok'
    const call = {
      kind: 'event',
      gate,
      isForbidden: true,
      startMs,
      endMs: performance.now(),
      ending,
    } as const
    calls.push({ ...call, ...(verdict === undefined ? {} : { verdict }) })
  }
  /** Fires an event at each gate that lives. */
  const fire = async (): Promise<void> => {
    await Promise.all(
      alive().map(async ({ name, gate }) => {
        const startMs = performance.now()
        note(name, startMs, verdictIn(await fireAt(gate, 'echo forbidden', eventPatienceMs)))
      }),
    )
  }
  /** The same by the program, at the gate that works. */
  const fireByProgram = async (): Promise<void> => {
    const member = (await fleet.working()) ?? fleet.members[0]
    const startMs = performance.now()
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
    const asked = execFile(
      process.execPath,
      [cli, 'fire', 'pre_tool_call', '--payload', '-'],
      { env: { ...process.env, HOME: member.home, HOOKGATE_HOME: member.gate }, timeout: 10_000 },
      (error, stdout) =>
        resolve(error === null ? { status: 200, body: JSON.parse(stdout) as Answer['body'] } : undefined),
    )
    asked.stdin?.end(JSON.stringify({ tool_name: 'bash', tool_input: { command: 'echo forbidden' } }))
    note(member.name, startMs, verdictIn(await promise))
  }

  const prompt = async (text: string): Promise<void> => {
    const texts = (): readonly string[] => api.texts(talker)
    const from = texts().length
    const startMs = performance.now()
    api.say(`!echo ${text} >> done.txt; echo ${text}`, talker)
    const end = await shown(texts, from, (said) =>
      said.trim() === text ? 'answered' : promptTold.test(said) ? 'told' : undefined,
    )
    if (end === undefined) unanswered.push(text)
    calls.push({
      kind: 'prompt',
      text,
      startMs,
      endMs: performance.now(),
      ending: end === 'answered' ? 'ok' : 'unknown',
      // It is counted when the run is over.
      timesDone: 0,
      isTold: end === 'told',
    })
  }

  return {
    act,
    read,
    push,
    fire,
    fireByProgram,
    prompt,
    /** What nobody answered, although the fault was over. */
    unanswered: (): readonly string[] => unanswered,
    calls: (): readonly Call[] =>
      calls.map((call) =>
        call.kind === 'prompt' ? { ...call, timesDone: fleet.timesDone(call.text) } : call,
      ),
    /** Each list that arrived, also the second answer of another gate, as a reading when it arrived. */
    lists: (arrivals: readonly Arrival[]): readonly Call[] =>
      arrivals.flatMap(({ text, atMs }) => {
        const [, found] = list.exec(text) ?? []
        const startMs = atMs - onItsWayMs
        return found === undefined
          ? []
          : [{ kind: 'read', startMs, endMs: atMs, ending: 'ok', isOn: found === 'ON' }]
      }),
    arrivals: (fromCall: number): readonly Arrival[] =>
      api
        .calls()
        .slice(fromCall)
        .filter(({ method }) => method === 'sendMessage')
        .map(({ params, atMs }) => ({
          chat: String(params['chat_id']),
          text: String(params['text']).trim(),
          atMs: atMs - performance.timeOrigin,
        })),
  }
}

export type Callers = ReturnType<typeof createCallers>
