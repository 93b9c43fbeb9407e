import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ClientName } from '../model/gate/client.ts'
import type { Json, JsonObject } from '../model/base/json.ts'
import { askGate, type GateReply } from './ask-gate.ts'

// Each module that is loaded here costs a foreign agent about 1.5 ms at each of its steps.

export interface BridgePorts {
  readonly home: string
  isClient(name: string): name is ClientName
  readonly chain: readonly string[]
  /** A refusal in the client's words where it keeps something from happening, else no opinion; undefined: print nothing. */
  failClosed(client: ClientName, event: string, why: string): JsonObject | undefined
  noOpinion(client: ClientName, event: string): JsonObject | undefined
  /** Who really asks. */
  callerOf(client: ClientName, stdin?: Json): ClientName
  /** Whether that client, in this moment, can be told to end and to make the same call again. Asked only where it may be so. */
  canPark(payload: Json | undefined): Promise<boolean>
  /** How long the client waits, in milliseconds, when its entry says nothing. */
  timeoutOf(client: ClientName, event: string): number
}

/** A client that we do not know is refused in the words that most of them read. */
const otherwise: ClientName = 'claude-code'
/** A person can be asked for so long. */
const maxDeadlineMs = 24 * 3_600_000
/** The gate's answer has to be here, and written, before the client has lost its patience. */
const headStartMs = 300

/** Below what the client waits: a twentieth, at most 10 s, and never less than what starting up takes. */
const deadlineOf = (timeoutMs: number): number =>
  timeoutMs - Math.min(10_000, Math.max(timeoutMs / 20, Math.min(1000, timeoutMs / 3)))

/** As much as the gate takes of one event. */
const maxStdinBytes = 8 * 1024 * 1024

type Stdin = { readonly bytes: Buffer } | { readonly why: string }

/** What the client writes to its hook, whole. */
const readStdin = (): Promise<Stdin> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const { stdin } = process
    stdin.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      // Read on and let go of it: whoever writes it must not meet a reader that is gone.
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
  '"hookgate bridge install <client>" writes these words into a client\'s settings; without a client it lists them.'

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
    const called = {
      client,
      event,
      ...(values.home === undefined || values.home === '' ? {} : { home: values.home }),
    }
    if (event === undefined || more !== undefined)
      return {
        ...called,
        wrong: `Expected "hookgate bridge <client> <Event>", got ${client === undefined ? 'neither' : event === undefined ? 'no event' : 'more words'}. ${howToInstall}`,
      }
    if (seconds !== undefined && !(seconds > 0 && seconds * 1000 <= maxDeadlineMs))
      return {
        ...called,
        wrong: `Expected --deadline to be a number of seconds, got "${values.deadline?.slice(0, 40)}".`,
      }
    return { ...called, ...(seconds === undefined ? {} : { deadlineMs: seconds * 1000 }) }
  } catch (error) {
    return {
      client,
      event,
      wrong: `Expected "hookgate bridge <client> <Event> [--home DIR] [--deadline S]": ${messageOf(error)}`,
    }
  }
}

const maxPrintMs = 5000

/** Whole, whoever reads it: a pipe that is full takes the rest later, or never. */
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

const parsed = (bytes: Buffer): Json | undefined => {
  try {
    return JSON.parse(bytes.toString()) as Json
  } catch {
    return undefined
  }
}

const start = 'Start it: hookgate start (in a clone: npm start)'
const awayWords = (code: string, why: string): string =>
  code === 'EACCES' || code === 'EPERM'
    ? "hookgate's socket is not open to this user. Name the user in gate.yaml, bridge: {user: …}, and let it through to the folder of the socket, run in HOOKGATE_HOME."
    : `hookgate ${code === 'STOPPING' ? 'is stopping' : 'is not running'}, and ${why}. ${start}`

/**
 * What a client starts as its hook: its event goes to the running gate as it is, and the gate's answer comes back as it
 * is. It ends with code 0 and prints one JSON object or nothing, whatever happens: any other way of failing is consent
 * to some client. What cannot be decided is refused.
 */
export const runBridge = async (args: readonly string[], ports: BridgePorts): Promise<void> => {
  const called = readArgs(args)
  let client: ClientName =
    called.client !== undefined && ports.isClient(called.client) ? called.client : otherwise
  let event = called.event ?? ''
  let isDone = false
  const finish = (answer: string): void => {
    if (isDone) return
    isDone = true
    print(answer)
    process.exit(0)
  }
  const say = (answer: JsonObject | undefined): void =>
    finish(answer === undefined ? '' : JSON.stringify(answer))
  const refuse = (why: string): void => {
    const answer = ports.failClosed(client, event, why)
    process.stderr.write(`${why}\n`)
    say(answer)
  }
  const answered = async (asked: GateReply): Promise<void> => {
    if (asked.kind === 'answer') return finish(asked.body)
    if (asked.kind === 'refused') return refuse(`hookgate could not judge this: ${asked.why}`)
    const { whileAway } = await import('./switch-file.ts')
    const { isOpen, why } = whileAway(home, Date.now())
    if (isOpen) say(ports.noOpinion(client, event))
    else refuse(awayWords(asked.code, why))
  }

  const home = called.home ?? ports.home
  const deadlineMs = called.deadlineMs ?? deadlineOf(ports.timeoutOf(client, event))
  process.on('uncaughtException', (error) => refuse(`hookgate's bridge failed (${messageOf(error)}).`))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => refuse("hookgate's bridge was stopped before there was an answer."))
  const leftMs = (): number => Math.max(1, Math.floor(deadlineMs - process.uptime() * 1000))
  setTimeout(() => refuse(`hookgate did not answer within ${Math.round(deadlineMs / 1000)} s.`), leftMs())

  const unknown =
    called.client === undefined || ports.isClient(called.client)
      ? undefined
      : `hookgate knows no client "${called.client.slice(0, 40)}". ${howToInstall}`
  const wrong = called.wrong ?? unknown
  // A person at a terminal, who pipes nothing.
  if (wrong !== undefined && process.stdin.isTTY) return refuse(wrong)
  const stdin = await readStdin()
  if ('why' in stdin) return refuse(`hookgate could not judge this: ${stdin.why}.`)
  const needsLook = event === '' || called.client === 'claude-code'
  const payload = needsLook ? parsed(stdin.bytes) : undefined
  if (event === '') event = eventIn(payload)
  client = ports.callerOf(client, payload)
  if (wrong !== undefined) return refuse(wrong)
  const canPark = client === 'claude-code' && event === 'PreToolUse' && (await ports.canPark(payload))
  await answered(
    await askGate({
      socketPath: join(home, 'run', 'bridge.sock'),
      client,
      event,
      bytes: stdin.bytes,
      patienceMs: Math.max(1, leftMs() - headStartMs),
      chain: ports.chain,
      canPark,
    }),
  )
}
