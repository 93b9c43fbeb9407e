import fs from 'node:fs'
import path from 'node:path'
import { parseChat } from '../../src/commands/parse.ts'
import type { CommandContext, CommandPorts } from '../../src/commands/ports.ts'
import { createCommands, lookUp } from '../../src/commands/table.ts'
import { createActs } from '../../src/gatekeeper/acts.ts'
import { createOwnerActs } from '../../src/gatekeeper/owner-acts.ts'
import { catalogue } from '../../src/gatekeeper/catalogue.ts'
import type { Gatekeeper } from '../../src/gatekeeper/gatekeeper.ts'
import { createFiles } from '../../src/hooks/sources/files.ts'
import type { Proposed } from '../../src/hooks/sources/source.ts'
import { createSources, shellHooksFile } from '../../src/hooks/sources/sources.ts'
import { fixed, proseText } from '../../src/model/prose.ts'
import type { EventRecord } from '../../src/model/record.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { aMessage, createFixture, type Fixture } from '../gatekeeper/gate-fixture.ts'

export const me = 'telegram:7'

export interface Desk {
  readonly fixture: Fixture
  readonly gatekeeper: Gatekeeper
  readonly store: Store
  readonly ports: CommandPorts
  /** By fingerprint, in epoch milliseconds. */
  readonly fired: Map<string, number>
  /** What the switch's file was told, and what it answers. */
  readonly face: { written: boolean[]; warning?: string }
  readonly told: string[]
  /** What other systems' files propose, beside the proposals of the file. */
  readonly foreign: Proposed[]
  /** Which hooks doctor was asked about; undefined: all. */
  readonly doctored: (string | undefined)[]
  /** Writes the proposals. */
  propose(yaml: string): void
  /** What is typed, by whom and where, and what comes back. */
  say(text: string, who?: { readonly owner?: string; readonly chat?: string }): Promise<string>
  /** The handle that the last list showed for a command. */
  handleOf(command: string): Promise<string>
  record(record: Partial<EventRecord>): void
  stop(): Promise<void>
}

/** The commands over a real gate, store and configuration file; only the clock is set. */
export const createDesk = async (yaml = 'hooks: []\n', adopt: { readonly isForcedOn?: boolean } = {}): Promise<Desk> => {
  const fixture = createFixture()
  const gatekeeper = fixture.open({ adopt: { owners: [{ id: me, chat_id: '7' }], isOn: false }, isForcedOn: adopt.isForcedOn ?? false })
  const store = await openStore({ path: path.join(fixture.home, 'state.db'), log: () => undefined })
  const propose = (text: string): void => {
    fs.mkdirSync(path.join(fixture.workspace, 'config'), { recursive: true })
    fs.writeFileSync(path.join(fixture.workspace, shellHooksFile), text)
  }
  propose(yaml)
  const none = { default: 60_000, min: 1, max: 600_000 }
  const sources = createSources({
    ...createFiles(fixture.workspace, (file) => ({ text: fs.readFileSync(file, 'utf8') })),
    userHooks: path.join(fixture.root, 'none'),
    events: { 'claude-code': [], 'docker-agent': [], 'agent-hooks': [], copilot: [] },
    timeouts: { 'claude-code': none, 'docker-agent': none, 'agent-hooks': none, copilot: none },
  })
  const foreign: Proposed[] = []
  const doctored: (string | undefined)[] = []
  const fired = new Map<string, number>()
  const face: Desk['face'] = { written: [] }
  const told: string[] = []
  const now = (): number => fixture.clock.nowMs
  let count = 0
  const acts = createActs({
    gatekeeper,
    writeFace: (isOn) => {
      face.written.push(isOn)
      return face.warning
    },
    record: (act, by, outcome, what) => store.addRecord({ event_id: `act-${++count}`, atMs: now(), kind: 'gate', subject: `/hooks ${act}`, outcome, reason: what === undefined ? by : `${what} by ${by}` }),
  })
  const record = (subject: string, by: string, outcome: string, what: string | undefined): void =>
    store.addRecord({ event_id: `act-${++count}`, atMs: now(), kind: 'gate', subject, outcome, reason: what === undefined ? by : `${what} by ${by}` })
  const ports: CommandPorts = {
    ...acts, ...createOwnerActs({ gatekeeper, record, log: () => undefined }), now,
    ownerChats: () => gatekeeper.state().owners.flatMap(({ id, chat_id }) => (chat_id === undefined ? [] : [{ channel: id.slice(0, id.indexOf(':')), chat_id }])),
    tell: ({ channel, chat_id }, text) => void told.push(`${channel}:${chat_id} ${proseText(text)}`),
    login: () => 'http://127.0.0.1:8787/#secret',
    gate: gatekeeper.state,
    rows: () => {
      sources.reload()
      return catalogue([...sources.get().proposed, ...foreign], [...gatekeeper.state().approvals.values()], gatekeeper.propose)
    },
    sourceProblem: () => sources.get().problem,
    separation: { kind: 'sandbox', by: 'bwrap' },
    handle: (owner, chat, fingerprint) => gatekeeper.handles.mint({ owner, chat, fingerprint }),
    resolveHandle: (owner, chat, handle) => gatekeeper.handles.resolve({ owner, chat, handle }),
    lastFiredMs: (fingerprint) => fired.get(fingerprint),
    headOf: (file) => fs.readFileSync(path.resolve(fixture.workspace, file), 'utf8').split('\n').slice(0, 8),
    records: store.records,
    doctor: (fingerprint, progress) => {
      doctored.push(fingerprint)
      progress(fixed('running'))
      return Promise.resolve(fixed('all well'))
    },
    tellAgent: (what, { chat_id }) => {
      told.push(`${what} ${chat_id}`)
      return chat_id === '7'
    },
    undo: ({ chat_id }, agentId) => Promise.resolve(agentId === 'none' ? { ok: false, why: 'no snapshot' } : { ok: true, text: `restored ${agentId ?? `the agent of ${chat_id}`}` }),
  }
  const find = lookUp(createCommands(ports))
  const say: Desk['say'] = async (text, { owner = me, chat = '7' } = {}) => {
    const parsed = parseChat(text)
    if (parsed.kind === 'prose') throw new Error(`${JSON.stringify(text)} is prose.`)
    const answers: string[] = []
    const context: CommandContext = { owner, address: { channel: 'telegram', chat_id: chat }, message: aMessage({ chat_id: chat, text }), progress: (prose) => void answers.push(proseText(prose)) }
    for (const line of parsed.lines) {
      const found = find(line)
      answers.push(proseText('unknown' in found ? found.unknown : await found.run(context)))
    }
    return answers.join('\n\n')
  }
  return {
    fixture, gatekeeper, store, ports, fired, face, told, foreign, doctored, propose, say,
    handleOf: async (command) => {
      const lines = (await say('/hooks')).split('\n')
      const at = lines.indexOf(`  ${command}`)
      const head = lines.slice(0, at).findLast((line) => /^[a-z0-9]{5} /.test(line))
      if (at === -1 || head === undefined) throw new Error(`No handle for ${command} in\n${lines.join('\n')}`)
      return head.slice(0, 5)
    },
    record: (record) => store.addRecord({ event_id: `event-${++count}`, atMs: now(), kind: 'event', subject: 'pre_tool_call', outcome: 'allow', ...record }),
    stop: async () => {
      await store.close()
      fixture.remove()
    },
  }
}
