/**
 * `npm run try:fleet`: two gates on one PostgreSQL database and a node, all of them real processes on this
 * machine, and a chat that goes on when the first gate is killed. It needs nothing but `npm install`. It
 * exits with 0 when everything went as it says, and with 1 when something did not. It leaves nothing behind.
 */
import { freePort } from '../../src/attack/gate/free-port.ts'
import { messageOf } from '../../src/core/model/gate/problem.ts'
import { startNode } from '../e2e/node-program.ts'
import { startProgram, until } from '../e2e/program.ts'
import { familyOf, openPhone, ownedEnv, propose, put, token, untilGone } from '../e2e/rig.ts'
import { startBotApi } from '../fixtures/bot-api/server.ts'
import type { ProcessRow } from '../process-list.ts'
import { startServer } from '../store/postgres-server.ts'
import { copyOf, invitationIn, waitingGates, withNodes } from './gates.ts'

/** A gate that was killed is followed within this time, in milliseconds. */
const takeOverMs = 15_000
/** The node looks for the gate at each of its addresses, in milliseconds. */
const connectAgainMs = 20_000
const maxShownChars = 110

const say = (words: string): void => void process.stdout.write(`${words}\n`)
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const startedAtMs = performance.now()

interface Removable {
  remove(): Promise<void>
}
/** The gates and the node, also those that have not started yet. */
const programs: Promise<Removable>[] = []
const families: ProcessRow[] = []
/** The servers that they use, to be ended after them, the last one first. */
const servers: (() => Promise<void>)[] = []
const removed = (starting: Promise<Removable>): Promise<void> =>
  starting.then(
    ({ remove }) => remove(),
    // What could not start is gone already. Whoever waits for it is told why.
    () => undefined,
  )

const endEverything = async (): Promise<void> => {
  await Promise.all(programs.map(removed))
  await untilGone(families)
  for (const stop of servers.toReversed()) await stop()
}
let ending: Promise<void> | undefined
const endAll = (): Promise<void> => (ending ??= endEverything())
/** Starts a program that is ended with everything else. Nothing is started once the end has begun. */
const started = async <T extends Removable>(start: () => Promise<T>): Promise<T> => {
  if (ending !== undefined) throw new Error('it was interrupted')
  const starting = start()
  programs.push(starting)
  return starting
}

/** Does something that takes a while, and says what it was. */
const step = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  const from = performance.now()
  const made = await work()
  say(`✓ ${what} (${seconds(performance.now() - from)})`)
  return made
}

const endAtSignals = (): void => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.removeAllListeners(name)
    process.once(name, () => void endAll().finally(() => process.exit(1)))
  }
}

const play = async (): Promise<void> => {
  const server = await step('A PostgreSQL server from npm runs, with an empty database.', startServer)
  servers.push(server.stop)
  // That server listens to signals, too, and would end this process before the rest has ended.
  endAtSignals()
  const database = await server.database()
  servers.push(() => server.drop(database))
  const api = await startBotApi({ token })
  servers.push(api.stop)
  say('✓ A server that stands in for Telegram runs. You are the person who writes, and you own the gates.')

  const env = { ...ownedEnv(api), HOOKGATE_DATABASE: database }
  const [firstPort, secondPort] = [await freePort(), await freePort()]
  const first = await step('The first gate works on the database.', () =>
    started(() => startProgram(env, undefined, { prepare: withNodes(firstPort) })),
  )
  const prepare = (home: string): void => {
    copyOf(first)(home)
    withNodes(secondPort)(home)
  }
  const second = started(() => startProgram(env, undefined, { prepare, withinMs: 60_000 }))
  // A failure is told where it is waited for.
  second.catch(() => undefined)
  await step('The second gate has a copy of the ledger’s key. It waits until the first one ends.', () =>
    until(
      'the second gate to wait',
      async () => (await waitingGates((sql) => server.run(database, sql))) > 0,
    ),
  )

  const phone = openPhone(api)
  const ask = async (words: string, pattern: RegExp): Promise<string> => {
    const answer = await phone.ask(words, pattern)
    say(`    you       ${words}`)
    const [line = ''] = answer.split('\n').filter((each) => pattern.test(each))
    say(`    hookgate  ${(line || answer.split('\n')[0] || '').slice(0, maxShownChars)}`)
    return answer
  }
  const { code } = invitationIn(await ask('/nodes add desk', /hookgate node --gate \S+ --code \S+/))
  const addressOf = (port: number): string => `http://127.0.0.1:${port}`
  const node = await step('The node desk has joined with that code. It knows both gates.', async () => {
    const gates = [firstPort, secondPort].flatMap((port) => ['--gate', addressOf(port)])
    const joined = await started(() => startNode([...gates, '--code', code]))
    await joined.connected()
    return joined
  })

  say('\nYou approve a hook on the first gate. It blocks commands of the agent that runs on the node.')
  await put(first, 'guard.sh', '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n')
  await propose(first, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  await ask('/hooks approve pre_tool_call ./guard.sh', /✓ Approved/)
  await ask('/hooks on', /Hooks are ON/)
  await ask('/agent builder', /talks to builder from now on/)
  await ask('!echo this runs on the node', /^this runs on the node/)
  await ask('!echo forbidden', /the guard said no|I did not run bash/)

  say('\nThe first gate is killed with kill -9. Nobody tells the second one.')
  families.push(...familyOf(first.child.pid), ...familyOf(node.child.pid))
  const killedMs = performance.now()
  const sinceKill = (): number => performance.now() - killedMs
  await first.kill()
  await ask('/whoami', /an owner/)
  const servedMs = sinceKill()
  say(`✓ The second gate has answered ${seconds(servedMs)} after the kill.`)
  families.push(...familyOf((await second).child.pid))
  await until('the node to connect to the second gate', () =>
    node.output().includes(`Connected to ${addressOf(secondPort)}`),
  )
  const connectedMs = sinceKill()
  say(`✓ The node was connected to the second gate ${seconds(connectedMs)} after the kill.`)
  await ask('/nodes', /^ +connected/m)
  await ask('!echo forbidden', /the guard said no|I did not run bash/)
  say(`✓ The hook that you approved on the first gate has blocked ${seconds(sinceKill())} after the kill.`)
  await ask('!echo this runs on the node again', /^this runs on the node again/)
  await ask('/hooks', /Hooks are ON/)
  if (servedMs > takeOverMs)
    throw new Error(
      `Expected the second gate within ${seconds(takeOverMs)}, got it after ${seconds(servedMs)}.`,
    )
  if (connectedMs > connectAgainMs)
    throw new Error(
      `Expected the node within ${seconds(connectAgainMs)}, got it after ${seconds(connectedMs)}.`,
    )
}

say('Two gates, one database and a node. This takes less than a minute, and it leaves nothing behind.\n')
endAtSignals()
let problem: string | undefined
try {
  await play()
} catch (error) {
  problem = messageOf(error)
}
await endAll().catch((error: unknown) => {
  problem ??= `not everything could be ended: ${messageOf(error)}`
})
const took = seconds(performance.now() - startedAtMs)
say(
  problem === undefined
    ? `\nAll went as said. Nothing is left on this machine. It took ${took}.`
    : `\n✗ It did not go as said, after ${took}: ${problem}`,
)
process.exit(problem === undefined ? 0 : 1)
