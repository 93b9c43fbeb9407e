import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ClientName } from '../shared/gate/client.ts'
import { parseJson, type Json, type JsonObject } from '../core/model/base/json.ts'
import { askGate, type GateReply } from './ask-gate.ts'

// Each module that is loaded here slows a foreign agent down by about 1.5 ms at every step.

export interface BridgePorts {
  readonly home: string
  isClient(name: string): name is ClientName
  readonly chain: readonly string[]
  /**
   * Returns a refusal in the format of the client where the event can be refused, and no opinion elsewhere.
   * Undefined means: print nothing.
   */
  failClosed(client: ClientName, event: string, why: string): JsonObject | undefined
  noOpinion(client: ClientName, event: string): JsonObject | undefined
  /** Returns the client that really asks. */
  callerOf(client: ClientName, stdin?: Json): ClientName
  /**
   * True when that client can be told now to end and to make the same call again. Called only for calls that
   * could be parked.
   */
  canPark(payload: Json | undefined): Promise<boolean>
  /** Returns how long the client waits, in milliseconds, when its entry does not say it. */
  timeoutOf(client: ClientName, event: string): number
}

/** An unknown client is refused in the format that most clients read. */
const fallbackClient: ClientName = 'claude-code'
/** The longest time for the answer of a person. */
const maxDeadlineMs = 24 * 3_600_000
/** The bridge must have read and printed the answer this long before the client stops waiting. */
const headStartMs = 300

/**
 * Returns the deadline of the bridge. It is earlier than that of the client by a twentieth, at most 10 s, and
 * by at least the time that starting up takes.
 */
const deadlineOf = (timeoutMs: number): number =>
  timeoutMs - Math.min(10_000, Math.max(timeoutMs / 20, Math.min(1000, timeoutMs / 3)))

/** A gate that was judging for so long was probably waiting for a person, in milliseconds. */
const personMs = 1000
/** The time between two attempts to reach a gate that is away, in milliseconds. */
const againMs = 250

/**
 * Asks again until the gate is back, because it stores the questions that wait for a person and finds this
 * one by the same call. The deadline of the bridge ends it.
 */
const askAgain = async (ask: () => Promise<GateReply>, first: GateReply): Promise<GateReply> => {
  let reply = first
  while (reply.kind === 'away') {
    await new Promise((resolve) => setTimeout(resolve, againMs))
    reply = await ask()
  }
  return reply
}

/** The limit of the gate for one event. */
const maxStdinBytes = 8 * 1024 * 1024

type Stdin = { readonly bytes: Buffer } | { readonly why: string }

/** Reads all that the client writes to its hook. */
const readStdin = (): Promise<Stdin> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const { stdin } = process
    stdin.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      // Keep reading and discard the rest, so that the client does not write to a closed pipe.
      if (bytes > maxStdinBytes) chunks.length = 0
      else chunks.push(chunk)
    })
    stdin.on('end', () =>
      resolve(
        bytes > maxStdinBytes
          ? { why: `it is larger than ${maxStdinBytes / 1024 / 1024} MB` }
          : { bytes: Buffer.concat(chunks) },
      ),
    )
    stdin.on('error', () => resolve({ why: 'it could not be read' }))
  })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')

const howToInstall =
  '"hookgate bridge install <client>" writes this command into the settings of a client. Without a client it lists the clients.'

interface BridgeArgs {
  readonly client: string | undefined
  readonly event: string | undefined
  readonly home?: string
  readonly deadlineMs?: number
  readonly wrong?: string
}

const readArgs = (args: readonly string[]): BridgeArgs => {
  const [client, event] = args
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { home: { type: 'string' }, deadline: { type: 'string' } },
    })
    const [client, event, more] = positionals
    const seconds = values.deadline === undefined ? undefined : Number(values.deadline)
    const parsedArgs = {
      client,
      event,
      ...(values.home === undefined || values.home === '' ? {} : { home: values.home }),
    }
    if (event === undefined || more !== undefined)
      return {
        ...parsedArgs,
        wrong: `Expected "hookgate bridge <client> <Event>", got ${client === undefined ? 'neither' : event === undefined ? 'no event' : 'more words'}. ${howToInstall}`,
      }
    if (seconds !== undefined && !(seconds > 0 && seconds * 1000 <= maxDeadlineMs))
      return {
        ...parsedArgs,
        wrong: `Expected --deadline to be a number of seconds, got "${values.deadline?.slice(0, 40)}".`,
      }
    return { ...parsedArgs, deadlineMs: seconds === undefined ? undefined : seconds * 1000 }
  } catch (error) {
    return {
      client,
      event,
      wrong: `Expected "hookgate bridge <client> <Event> [--home DIR] [--deadline S]": ${messageOf(error)}`,
    }
  }
}

const maxPrintMs = 5000

/** Prints the whole text. When the pipe is full it retries until `maxPrintMs` has passed. */
const print = (text: string): void => {
  const bytes = Buffer.from(text)
  const untilMs = performance.now() + maxPrintMs
  for (let written = 0; written < bytes.length && performance.now() < untilMs;) {
    try {
      written += writeSync(1, bytes, written)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

const eventIn = (stdin: Json | undefined): string => {
  const name =
    typeof stdin === 'object' && stdin !== null && 'hook_event_name' in stdin
      ? stdin['hook_event_name']
      : undefined
  return typeof name === 'string' ? name : ''
}

const start = 'Start it: hookgate start (in a clone: npm start)'
const awayMessage = (code: string, why: string): string =>
  code === 'EACCES' || code === 'EPERM'
    ? "This user may not open hookgate's socket. Name the user in gate.yaml (bridge: {user: …}), and let that user enter the folder of the socket: run/ in HOOKGATE_HOME."
    : `hookgate ${code === 'STOPPING' ? 'is stopping' : 'is not running'}, and ${why}. ${start}`

/**
 * Runs as the hook of a client. It sends the event to the running gate unchanged, and prints the answer
 * unchanged. It always ends with code 0 and prints one JSON object or nothing, because some clients take any
 * other failure for consent. It refuses what it cannot decide.
 */
export const runBridge = async (args: readonly string[], ports: BridgePorts): Promise<void> => {
  const parsedArgs = readArgs(args)
  let client: ClientName =
    parsedArgs.client !== undefined && ports.isClient(parsedArgs.client) ? parsedArgs.client : fallbackClient
  let event = parsedArgs.event ?? ''
  let isDone = false
  const finish = (answer: string): void => {
    if (isDone) return
    isDone = true
    print(answer)
    process.exit(0)
  }
  const printAnswer = (answer: JsonObject | undefined): void =>
    finish(answer === undefined ? '' : JSON.stringify(answer))
  const refuse = (why: string): void => {
    const answer = ports.failClosed(client, event, why)
    process.stderr.write(`${why}\n`)
    printAnswer(answer)
  }
  const handleReply = async (reply: GateReply): Promise<void> => {
    if (reply.kind === 'answer') return finish(reply.body)
    if (reply.kind === 'refused') return refuse(`hookgate could not judge this: ${reply.why}`)
    const { whileAway } = await import('./switch-file.ts')
    const { isOpen, why } = whileAway(home, Date.now())
    if (isOpen) printAnswer(ports.noOpinion(client, event))
    else refuse(awayMessage(reply.code, why))
  }

  const home = parsedArgs.home ?? ports.home
  const deadlineMs = parsedArgs.deadlineMs ?? deadlineOf(ports.timeoutOf(client, event))
  process.on('uncaughtException', (error) => refuse(`hookgate's bridge failed (${messageOf(error)}).`))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => refuse("hookgate's bridge was stopped before it got an answer."))
  const leftMs = (): number => Math.max(1, Math.floor(deadlineMs - process.uptime() * 1000))
  setTimeout(() => refuse(`hookgate did not answer within ${Math.round(deadlineMs / 1000)} s.`), leftMs())

  const unknown =
    parsedArgs.client === undefined || ports.isClient(parsedArgs.client)
      ? undefined
      : `hookgate knows no client "${parsedArgs.client.slice(0, 40)}". ${howToInstall}`
  const wrong = parsedArgs.wrong ?? unknown
  // A person at a terminal pipes nothing.
  if (wrong !== undefined && process.stdin.isTTY) return refuse(wrong)
  const stdin = await readStdin()
  if ('why' in stdin) return refuse(`hookgate could not judge this: ${stdin.why}.`)
  const needsPayload = event === '' || parsedArgs.client === 'claude-code'
  const payload = needsPayload ? parseJson(stdin.bytes.toString()) : undefined
  if (event === '') event = eventIn(payload)
  client = ports.callerOf(client, payload)
  if (wrong !== undefined) return refuse(wrong)
  const canPark = client === 'claude-code' && event === 'PreToolUse' && (await ports.canPark(payload))
  const ask = (): Promise<GateReply> =>
    askGate({
      socketPath: join(home, 'run', 'bridge.sock'),
      client,
      event,
      bytes: stdin.bytes,
      patienceMs: Math.max(1, leftMs() - headStartMs),
      chain: ports.chain,
      canPark,
    })
  const askedAtMs = performance.now()
  const first = await ask()
  const hasWaited = performance.now() - askedAtMs >= personMs
  await handleReply(first.kind === 'away' && hasWaited ? await askAgain(ask, first) : first)
}
