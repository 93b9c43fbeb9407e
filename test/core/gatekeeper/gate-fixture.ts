import { preparingShadows } from '../../../src/shared/hooks/shadow.ts'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Message } from '../../../src/core/model/chat/channel.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { openGatekeeper, type Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import { createInterpreterWatch } from '../../../src/proposals/program/interpreters.ts'
import { createProposer, readProposed, type Proposer } from '../../../src/proposals/proposal.ts'
import { renamed } from '../../../src/proposals/sealed-text.ts'
import type { GatekeeperOptions } from '../../../src/core/gatekeeper/gate-state.ts'
import type { resolveProgram } from '../../../src/proposals/program/resolve.ts'

export const startMs = Date.UTC(2026, 0, 2, 3, 4, 5)

export const anEntry = (options: Partial<Entry> = {}): Entry => ({
  event: 'pre_tool_call',
  type: 'command',
  command: './hooks/guard.sh',
  args: [],
  timeoutMs: 20_000,
  onError: 'warn',
  priority: 100,
  isAsync: false,
  env: {},
  files: [],
  origin: 'config/shell_hooks.yaml',
  ...options,
})

export const aMessage = (options: Partial<Message> = {}): Message => ({
  channel: 'telegram',
  chat_id: '7',
  message_id: '1',
  sender_id: '7',
  sender_name: 'Mia',
  isPrivate: true,
  origin: 'plain',
  sentAtMs: startMs,
  text: '/hooks on',
  ...options,
})

type ProposerOptions = Parameters<typeof createProposer>[0]

export interface FixtureOptions
  extends
    Omit<GatekeeperOptions, 'prepare' | 'renamed'>,
    Pick<ProposerOptions, 'person' | 'refuses'>,
    Partial<Pick<ProposerOptions, 'path'>>,
    Partial<Pick<GatekeeperOptions, 'prepare'>> {}

/** A gatekeeper, with what reads the files of its proposals. */
export interface FixtureGate extends Gatekeeper, Proposer {
  interpreterNews: ReturnType<typeof createInterpreterWatch>
  proposedBytes(file: { readonly path: string }): Buffer | undefined
}

/** Opens a gatekeeper that reads proposals by itself, where a real gate has a thread for that. */
export const openFixtureGate = async (options: FixtureOptions): Promise<FixtureGate> => {
  const { path: search = '/usr/local/bin:/usr/bin:/bin', person, refuses, ...rest } = options
  const { home, workspace } = rest
  const prepare = preparingShadows(async (entry) => proposer.prepare(entry))
  const gatekeeper = await openGatekeeper({ prepare, ...rest, renamed })
  const folders = { home: fs.realpathSync(home), workspace: fs.realpathSync(workspace) }
  const proposer = createProposer({ ...folders, path: search, person, refuses })
  return {
    ...gatekeeper,
    ...proposer,
    interpreterNews: createInterpreterWatch({
      file: path.join(home, 'interpreters.json'),
      approvals: () => [...gatekeeper.state().approvals.values()],
      log: rest.log,
    }),
    proposedBytes: ({ path: name }) => {
      const source = readProposed(path.resolve(folders.workspace, name), name, { ...folders, refuses })
      return 'problem' in source ? undefined : source.content
    },
  }
}

export interface Fixture {
  readonly root: string
  readonly home: string
  readonly workspace: string
  readonly ledger: string
  readonly clock: { nowMs: number }
  readonly lockdowns: string[]
  readonly logged: string[]
  /** A file of the workspace; `./hooks/guard.sh` is there from the start. */
  write(name: string, content: string, mode?: number): string
  open(options?: Partial<FixtureOptions>): Promise<FixtureGate>
  /** The ledger's lines. */
  lines(): readonly string[]
  remove(): void
}

export const createFixture = (): Fixture => {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-gate-')))
  const home = path.join(root, 'home')
  const workspace = path.join(root, 'workspace')
  const clock = { nowMs: startMs }
  const lockdowns: string[] = []
  const logged: string[] = []
  const write = (name: string, content: string, mode = 0o755): string => {
    const file = path.join(workspace, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
    fs.chmodSync(file, mode)
    return file
  }
  write('hooks/guard.sh', '#!/bin/sh\necho guard\n')
  const ledger = path.join(home, 'ledger.jsonl')
  return {
    root,
    home,
    workspace,
    ledger,
    clock,
    lockdowns,
    logged,
    write,
    open: (options = {}) =>
      openFixtureGate({
        home,
        workspace,
        person: path.join(root, 'person'),
        adopt: { owners: [{ id: 'telegram:7', chat_id: '7' }], isOn: true },
        isForcedOn: false,
        now: () => clock.nowMs,
        elapsedMs: () => clock.nowMs,
        log: (level, what) => void logged.push(`${level} ${what}`),
        leastAgeMs: 0,
        onLockdown: (why) => void lockdowns.push(why),
        ...options,
      }),
    lines: () => fs.readFileSync(ledger, 'utf8').trimEnd().split('\n'),
    remove: () => fs.rmSync(root, { recursive: true, force: true }),
  }
}

/** A gate with one approved hook, as most tests want it. */
export const approveGuard = async (gate: Gatekeeper, entry: Entry = anEntry()): Promise<string> => {
  const done = await gate.approve(entry, 'telegram:7')
  if (!done.ok) throw new Error(done.problem.message)
  return done.approval.fingerprint
}

/**
 * What a way to resolve entries gives: the program, which is expected to be there, or the code of what is
 * wrong.
 */
export const outcomesOf = (resolve: (options: Partial<Entry>) => ReturnType<typeof resolveProgram>) => ({
  good: (options: Partial<Entry>) => {
    const program = resolve(options)
    if ('problem' in program) throw new Error(program.problem.message)
    return program
  },
  codeOf: (options: Partial<Entry>): string => {
    const program = resolve(options)
    return 'problem' in program ? program.problem.code : 'none'
  },
})
