import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BotApi } from '../fixtures/bot-api/server.ts'
import { openSession } from '../../src/attack/gate/page-client.ts'
import { alive, type ProcessRow } from '../process-list.ts'
import { cli, until, type Program } from './program.ts'

export const token = '123456:test-token'

/** A start in which the person with id 7 owns the gate from the beginning. */
export const ownedEnv = (api: BotApi): Record<string, string> => ({
  TELEGRAM_BOT_TOKEN: token,
  TELEGRAM_API_ROOT: api.root,
  HOOKGATE_OWNERS: 'telegram:7',
})

export interface Chat {
  /** What the owner's chat shows, in order. */
  texts(): readonly string[]
  /** The first text after the `from`th that the pattern fits. */
  reply(pattern: RegExp, from?: number, withinMs?: number): Promise<string>
  /** Says something and waits for a text that the pattern fits. */
  ask(words: string, pattern: RegExp, withinMs?: number): Promise<string>
}

/** A conversation, whatever carries it. */
export const chatOf = (say: (words: string) => unknown, texts: () => readonly string[]): Chat => {
  const reply: Chat['reply'] = (pattern, from = 0, withinMs) =>
    until(
      `${pattern} in the chat`,
      () =>
        texts()
          .slice(from)
          .find((text) => pattern.test(text)),
      withinMs,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)} It shows:\n${texts().slice(from).join('\n---\n').slice(0, 5000)}`)
    })
  return {
    texts,
    reply,
    ask: async (words, pattern, withinMs) => {
      const from = texts().length
      await say(words)
      return reply(pattern, from, withinMs)
    },
  }
}

/**
 * A message that hookgate removes, such as the one about work under way, leaves an empty text at its place.
 * So the number of texts at one time says which of them came later.
 */
export const openPhone = (api: BotApi): Chat => {
  const known = new Set<number>()
  return chatOf(
    (words) => api.say(words),
    () => {
      const stands = new Map(api.sent(7).map(({ message_id, text = '' }) => [message_id, text]))
      for (const id of stands.keys()) known.add(id)
      return [...known].map((id) => stands.get(id) ?? '')
    },
  )
}

/**
 * The web page's side of its interface, signed in with a fresh login of the console. `close` leaves the
 * stream.
 */
export const openPage = async (program: Program): Promise<Chat & { close(): void }> => {
  // Each login is good once.
  const before = program.login()
  program.enter()
  const session = await openSession(
    await until('a new login', () => program.login() !== before && program.login()),
  )
  let texts: readonly string[] = []
  const close = session.follow(({ message, messages: history = [] }) => {
    const lines = [history, message ?? []].flat() as { readonly text: string; readonly from: string }[]
    texts = [...texts, ...lines.filter(({ from }) => from !== 'you').map(({ text }) => text)]
  })
  const said = async (words: string): Promise<void> => {
    const { status, text } = await session.post('/api/say', { text: words })
    if (status !== 202) throw new Error(`The page was answered ${status}: ${text}`)
  }
  return { ...chatOf(said, () => texts), close }
}

const tooSoon = (api: BotApi): number =>
  api.texts(7).filter((text) => text.includes('this card has only just appeared')).length

/**
 * The owner reads, taps and waits for what the tap brings. A busy gate can find a tap too early, because it
 * counts from when it knows that the card arrived. It says so then, and the owner taps again.
 */
export const tapUntil = async (
  api: BotApi,
  tap: () => unknown,
  what: string,
  happens: () => boolean,
): Promise<void> => {
  for (let isDone = false; !isDone;) {
    const before = tooSoon(api)
    await api.read()
    tap()
    isDone = await until(what, () => (happens() ? 'done' : tooSoon(api) > before && 'too soon')).then(
      (end) => end === 'done',
    )
  }
}

export interface Proposal {
  readonly event: string
  readonly command: string
  readonly [option: string]: unknown
}

/** Writes a program into the workspace, ready to run. */
export const put = async (program: Program, name: string, content: string, mode = 0o755): Promise<void> => {
  const file = join(program.workspace, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  await chmod(file, mode)
}

/** Replaces what the file proposes, and waits until hookgate noticed: each proposal must be new to it. */
export const propose = async (program: Program, chat: Chat, hooks: readonly Proposal[]): Promise<void> => {
  const from = chat.texts().length
  // YAML 1.2 is a superset of JSON.
  await writeFile(join(program.workspace, 'config/shell_hooks.yaml'), JSON.stringify({ hooks }))
  // What a fresh gate ships may be announced only now, and that is no news of these hooks. A short card has
  // the beginning of a long command.
  const named = hooks
    .map(({ command }) => command.slice(0, 14).replaceAll(/[^\w /-]/g, String.raw`\$&`))
    .join('|')
  await chat.reply(new RegExp(`waits? for you[^]*(?:${named})`), from)
}

/** Proposes hooks, approves each of them and switches on. */
export const arm = async (program: Program, chat: Chat, hooks: readonly Proposal[]): Promise<void> => {
  await propose(program, chat, hooks)
  for (const { event, command } of hooks)
    await chat.ask(`/hooks approve ${event} ${command}`, /✓ (Already a|A)pproved/)
  await chat.ask('/hooks on', /Hooks are ON/)
}

/** What the store has on disk. */
export const stored = ({ gate }: Program, query: string): readonly Record<string, unknown>[] => {
  const store = new DatabaseSync(join(gate, 'state.db'))
  try {
    return store.prepare(query).all()
  } finally {
    store.close()
  }
}

/** The descendants of a process, without itself. */
export const familyOf = (pid: number | undefined, rows = alive()): readonly ProcessRow[] =>
  rows.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...familyOf(child.pid, rows)])

/** The one descendant whose words the pattern fits. */
export const findChild = (program: Pick<Program, 'child'>, pattern: RegExp): Promise<ProcessRow> =>
  until(`a process ${pattern}`, () =>
    familyOf(program.child.pid).find(({ command }) => pattern.test(command)),
  )

/** The process itself, not what started it with other rights or holds it. */
export const agentHost = /^\S*node(?: --\S+)* \S*agents\/host\.[jt]s/
export const hookHost = /^\S*node(?: --\S+)* \S*handlers\/host\/process\.[jt]s/

/** Waits until none of these processes lives. */
export const untilGone = (rows: readonly ProcessRow[], withinMs = 10_000): Promise<void> =>
  until(
    `the end of ${rows.map(({ command }) => command.slice(-60)).join(', ')}`,
    () => {
      // Not by command: one that is ending has none any more, and its sockets are still open.
      const now = new Set(alive().map(({ pid }) => pid))
      return rows.every(({ pid }) => !now.has(pid))
    },
    withinMs,
  ).then(() => undefined)

/**
 * A start that is expected to fail: what it said, how it ended, and everything that it had started meanwhile.
 */
export const startInVain = async (
  home: string,
  env: Record<string, string> = {},
): Promise<{ code: number | null; output: string; started: readonly ProcessRow[] }> => {
  const child = spawn(process.execPath, [cli, 'start'], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, HOOKGATE_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const started = new Map<number, ProcessRow>()
  const look = setInterval(() => {
    for (const row of familyOf(child.pid)) started.set(row.pid, row)
  }, 30)
  const [code] = await once(child, 'close', { signal: AbortSignal.timeout(15_000) }).finally(() => {
    clearInterval(look)
    child.kill('SIGKILL')
  })
  return { code, output, started: [...started.values()] }
}
