import fs from 'node:fs'
import path from 'node:path'
import { parseChat } from '../../src/core/commands/parse.ts'
import type { CommandContext, CommandPorts } from '../../src/commands/ports.ts'
import { createCardButtons } from '../../src/commands/cards/card-buttons.ts'
import { createCommands, createTable } from '../../src/commands/table.ts'
import { createActs } from '../../src/core/gatekeeper/acts.ts'
import { createPasskeyUses } from '../../src/store/passkey-uses.ts'
import { passkeyName } from '../../src/core/gatekeeper/owners/passkeys.ts'
import { createGrantActs } from '../../src/core/gatekeeper/grants/grant-acts.ts'
import { mayRefuse, DIALECTS } from '../../src/dialects/dialects.ts'
import { createConsents, type Consents } from '../../src/core/gatekeeper/owners/consents.ts'
import { createOwnerActs } from '../../src/core/gatekeeper/owners/owner-acts.ts'
import { catalogue } from '../../src/proposals/catalogue.ts'
import type { Gatekeeper } from '../../src/core/gatekeeper/gatekeeper.ts'
import { createReading } from '../../src/commands/diff/reading.ts'
import { galleryEntries, shippedEntries } from '../../src/compose/proposal-reader/gallery.ts'
import { withHook } from '../../src/proposals/sources/add-hook.ts'
import { createFiles } from '../../src/proposals/sources/foreign/files.ts'
import type { ProposedHook, ListedHook } from '../../src/shared/gate/catalogue.ts'
import { createSources, shellHooksFile } from '../../src/proposals/sources/sources.ts'
import type { ChatBacklog } from '../../src/core/model/chat/push.ts'
import type { Language } from '../../src/core/model/chat/language.ts'
import { noticeOf, type Notice, type NoticeText } from '../../src/core/model/chat/notice.ts'
import { utc } from '../../src/core/model/chat/zone.ts'
import { fixed, handlesIn, hasParts, proseText, verbatim } from '../../src/core/model/chat/prose.ts'
import { roleGives } from '../../src/core/model/gate/person.ts'
import type { ShadowCounts } from '../../src/shared/hooks/shadow.ts'
import type { EventRecord } from '../../src/core/model/events/record.ts'
import { openStoreHere } from '../store/here.ts'
import type { Store } from '../../src/store/store.ts'
import { aMessage, createFixture, type Fixture } from '../core/gatekeeper/gate-fixture.ts'
import { ofEach } from '../of-each.ts'
import { watchForEnglish } from './english.ts'

export const me = 'telegram:7'

/** What somebody reads of it. */
export const textOf = (said: NoticeText): string => proseText(noticeOf(said).text)

export interface Who {
  readonly owner?: string
  readonly chat?: string
  readonly isPrivate?: boolean
  /** The messenger does not show that a person typed it. */
  readonly isUnattested?: true
}

export interface BridgeService {
  readonly fixture: Fixture
  readonly gatekeeper: Gatekeeper
  /** What the inbox asks about a message. */
  readonly hearing: Omit<Consents, 'ownerOf'>
  /** The consent of an owner who typed something just now. */
  consentOf(owner: string): CommandContext['consent']
  readonly store: Store
  readonly ports: CommandPorts
  /** By fingerprint, in epoch milliseconds. */
  readonly fired: Map<string, number>
  /** By fingerprint. */
  readonly shadowCounts: Map<string, ShadowCounts>
  /** What the switch's file was told, and what it answers. */
  readonly face: { written: boolean[] }
  readonly told: string[]
  /** What waits to leave. */
  readonly waits: ChatBacklog[]
  /** What the other owners' chats were told. */
  readonly others: string[]
  /** What other systems' files propose, beside the proposals of the file. */
  readonly foreign: ProposedHook[]
  /** Which hooks doctor was asked about; undefined: all. */
  readonly doctored: (string | undefined)[]
  /** Whether the chat has buttons, and whether the agent works on a message of it. */
  readonly chat: {
    hasButtons: boolean
    takesFiles?: boolean
    isWorking: boolean
    language?: Language
    zone?: string | undefined
  }
  /** What was said yes or not now to, and whether that makes the announcer quiet. */
  readonly answers: { readonly said: [ListedHook, boolean][]; isQuiet: boolean }
  readonly table: ReturnType<typeof createTable>
  /** The commands forget what is in memory, as after a restart. */
  restart(): void
  /** Writes the proposals. */
  propose(yaml: string): void
  /** Tells of a text in the replies that others wrote. At the end, none of ours may be English in Chinese. */
  theirs(text: string): void
  /** What is typed, by whom and where, and what comes back. */
  say(text: string, who?: Who): Promise<string>
  /** The same, each notice by itself with its buttons. */
  ask(text: string, who?: Who): Promise<readonly Notice[]>
  /** A button is tapped, by its label under a notice. */
  tap(
    notice: Notice | undefined,
    label: string,
    who?: Who,
  ): Promise<{ readonly said: Notice; readonly refused?: string }>
  /** The handle of the whole card of a command. */
  handleOf(command: string): Promise<string>
  record(record: Partial<EventRecord>): void
  /** Resolves when every approval that was asked for is written or refused, and its receipt is made. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/** The commands over a real gate, store and configuration file; only the clock is set. */
export const createBridgeService = async (
  yaml = 'hooks: []\n',
  adopt: { readonly isForcedOn?: boolean; readonly tools?: string } = {},
): Promise<BridgeService> => {
  const english = watchForEnglish()
  // What the doubles below say.
  english.theirs('all well, restored the agent of 7, restored helper, no snapshot')
  const folder = createFixture()
  const fixture: Fixture = {
    ...folder,
    write: (name, content, ...more) => {
      english.theirs(content)
      return folder.write(name, content, ...more)
    },
  }
  // Programs that a test may exchange, before the system's.
  const tools = adopt.tools === undefined ? {} : { path: `${adopt.tools}:/usr/bin:/bin` }
  const gatekeeper = await fixture.open({
    adopt: { owners: [{ id: me, chat_id: '7' }], isOn: false },
    isForcedOn: adopt.isForcedOn ?? false,
    ...tools,
  })
  const store = await openStoreHere({ path: path.join(fixture.home, 'state.db'), log: () => undefined })
  const propose = (text: string): void => {
    english.theirs(text)
    fs.mkdirSync(path.join(fixture.workspace, 'config'), { recursive: true })
    fs.writeFileSync(path.join(fixture.workspace, shellHooksFile), text)
  }
  propose(yaml)
  const sources = createSources({
    ...createFiles(fixture.workspace, (file) => ({ text: fs.readFileSync(file, 'utf8') })),
    userHooks: path.join(fixture.root, 'none'),
    person: path.join(fixture.root, 'none'),
    dialects: ofEach({ events: [], shell: 'sh', timeoutMs: { default: 60_000, min: 1, max: 600_000 } }),
    // A busy machine would count as a long reading, after which the sources rest.
    clock: () => 0,
  })
  const foreign: ProposedHook[] = []
  const doctored: (string | undefined)[] = []
  const fired = new Map<string, number>()
  const shadowCounts = new Map<string, ShadowCounts>()
  const face: BridgeService['face'] = { written: [] }
  const told: string[] = []
  const waits: ChatBacklog[] = []
  const chat: BridgeService['chat'] = { hasButtons: false, isWorking: true }
  const answers: BridgeService['answers'] = { said: [], isQuiet: false }
  const others: string[] = []
  const now = (): number => fixture.clock.nowMs
  let count = 0
  let shown: string | undefined
  const { ownerOf, ...hearing } = createConsents(gatekeeper.admits, gatekeeper.isOwner)
  const acts = createActs({
    gatekeeper,
    ownerOf,
    writeSwitchFile: (isOn) => void face.written.push(isOn),
    record: (act, by, outcome, what) =>
      store.addRecord({
        event_id: `act-${++count}`,
        atMs: now(),
        kind: 'gate',
        subject: act,
        outcome,
        reason: what === undefined ? by : `${what} by ${by}`,
      }),
  })
  const record = (subject: string, by: string, outcome: string, what: string | undefined): void =>
    store.addRecord({
      event_id: `act-${++count}`,
      atMs: now(),
      kind: 'gate',
      subject,
      outcome,
      reason: what === undefined ? by : `${what} by ${by}`,
    })
  let approving: Promise<unknown> = Promise.resolve()
  const ports: CommandPorts = {
    ...acts,
    approve: (...asked) => {
      const done = acts.approve(...asked)
      approving = Promise.allSettled([approving, done])
      return done
    },
    promote: (...asked) => {
      const done = acts.promote(...asked)
      approving = Promise.allSettled([approving, done])
      return done
    },
    ...createReading(gatekeeper),
    proposedBytes: gatekeeper.proposedBytes,
    ...createOwnerActs({ gatekeeper, ownerOf, record, log: () => undefined }),
    now,
    showsHeldText: false,
    readers: {
      choose: (_, language) => void (chat.language = language),
      chosenOf: () => chat.language,
      languageOf: () => chat.language ?? 'en',
      zoneOf: () => (chat.zone === undefined ? utc : { name: chat.zone, isOwn: true }),
      chooseZone: (_, name) => void (chat.zone = name),
    },
    ownerChats: () =>
      gatekeeper
        .state()
        .owners.flatMap(({ id, chat_id }) =>
          chat_id === undefined ? [] : [{ channel: id.slice(0, id.indexOf(':')), chat_id }],
        ),
    tell: ({ channel, chat_id }, text) => void told.push(`${channel}:${chat_id} ${proseText(text)}`),
    post: ({ channel, chat_id }, said, delivered) => {
      told.push(`${channel}:${chat_id} ${proseText(noticeOf(said).text)}`)
      delivered(undefined)
    },
    login: () => 'http://127.0.0.1:8787/#secret',
    pageOrigin: undefined,
    passkeys: createPasskeyUses({
      passkeys: {
        find: gatekeeper.passkeys.find,
        all: () => gatekeeper.passkeys.all().map((one) => ({ ...one, name: passkeyName(one.id) })),
      },
      recall: () => Promise.resolve(undefined),
      remember: () => Promise.resolve(),
      now,
      log: () => undefined,
    }).passkeys,
    gate: gatekeeper.state,
    person: gatekeeper.person,
    knownAgents: () => ['main', 'claude-code'],
    ...createGrantActs({
      gatekeeper,
      ownerOf,
      record,
      now,
      uses: { begin: () => Promise.resolve(), usesLeft: ({ uses }) => uses, isSpent: () => false },
    }),
    rows: () => {
      sources.reload()
      return catalogue(
        [...sources.get().proposed, ...foreign],
        [...gatekeeper.state().approvals.values()],
        gatekeeper.propose,
        undefined,
        mayRefuse,
      )
    },
    gallery: galleryEntries,
    shipped: shippedEntries,
    propose: (hook) => {
      const file = path.join(fixture.workspace, shellHooksFile)
      const edited = withHook(fs.readFileSync(file, 'utf8'), hook, { dialects: DIALECTS })
      if ('text' in edited) propose(edited.text)
      return Promise.resolve('why' in edited ? edited.why : undefined)
    },
    refresh: () => Promise.resolve(),
    sourceProblem: () => sources.get().problem,
    separation: { kind: 'sandbox', by: 'bwrap' },
    world: { home: '/gate/hooks/home', tmp: '/gate/hooks/tmp', tmpdir: '/tmp' },
    handle: (owner, chat, fingerprint, shows) =>
      gatekeeper.handles.mint({ owner, chat, fingerprint, ...(shows === undefined ? {} : { shows }) }),
    pageHandle: (owner, chat, fingerprint, shows) =>
      gatekeeper.handles.mint({
        owner,
        chat,
        fingerprint,
        isOnPage: true,
        ...(shows === undefined ? {} : { shows }),
      }),
    handleOn: (owner, chat, messageId) => gatekeeper.handles.onMessage({ owner, chat, messageId }),
    hiddenBy: (owner, chat, fingerprint) => gatekeeper.handles.hiddenBy({ owner, chat, fingerprint }),
    resolveHandle: (owner, chat, handle) => gatekeeper.handles.resolve({ owner, chat, handle }),
    mint: gatekeeper.cards.mint,
    take: gatekeeper.cards.take,
    hasButtons: () => chat.hasButtons,
    takesFiles: () => chat.takesFiles === true,
    answered: (row, isYes) => {
      answers.said.push([row, isYes])
      return { isQuiet: answers.isQuiet }
    },
    lastFiredMs: (fingerprint) => fired.get(fingerprint),
    shadowCounts: (fingerprint) => shadowCounts.get(fingerprint),
    records: store.records,
    history: undefined,
    evidenceOf: () => undefined,
    tries: {
      start: () =>
        Promise.resolve({
          problem: { code: 'try.none', message: 'Expected a sandbox, got none.', fix: 'Make one.' },
        }),
      stop: () => Promise.resolve(false),
    },
    waiting: () => waits,
    held: () => [],
    answerHeld: () => false,
    shownBefore: undefined,
    rememberShown: (what) => Promise.resolve(void (shown = what)),
    asks: {
      waiting: () => [],
      showAgain: () => undefined,
      isShownIn: () => false,
      answer: () => undefined,
      fill: () => undefined,
    },
    doctor: (fingerprint, progress) => {
      doctored.push(fingerprint)
      progress(fixed('running'))
      return Promise.resolve(fixed('all well'))
    },
    agents: () => [{ id: 'main', kind: 'demo', isConnected: true, given: 0, waiting: 0 }],
    nodeUrl: 'https://gate.example.org',
    gateMachine: 'server',
    waitingGates: () => Promise.resolve([]),
    untoldGates: () => Promise.resolve([]),
    nodes: () =>
      gatekeeper.nodes
        .all()
        .map(({ name, at }) => ({ name, at, agents: [], connected: undefined, heardMs: undefined })),
    untoldNodes: () => Promise.resolve([]),
    agentOf: () => 'main',
    chooseAgent: () => undefined,
    tellAgent: (what, { chat_id }) => {
      told.push(`${what} ${chat_id}`)
      return chat_id === '7'
    },
    isWorking: () => chat.isWorking,
    connections: () => ({ agent: 'main', isAgentConnected: chat.isWorking, messengers: ['web', 'telegram'] }),
    prompt: ({ text, isGoal, inGroup }) => {
      told.push(
        `${isGoal === true ? 'goal' : 'prompt'}${inGroup === undefined ? '' : ` of ${inGroup}`}: ${text}`,
      )
      return Promise.resolve()
    },
    tellOthers: (said, { channel, chat_id }) =>
      void others.push(
        `not ${channel}:${chat_id}: ${textOf(noticeOf(typeof said === 'function' ? said({ channel: 'telegram', chat_id: '7' }) : said))}`,
      ),
    budget: {
      state: () => [],
      extend: () => undefined,
      isUnreadable: () => false,
      startAnew: () => undefined,
    },
    undo: ({ chat_id }, agentId) =>
      Promise.resolve(
        agentId === 'none'
          ? { ok: false, why: 'no snapshot' }
          : { ok: true, text: `restored ${agentId ?? `the agent of ${chat_id}`}` },
      ),
  }
  let table = createTable(ports)
  english.typed(createCommands(ports, createCardButtons(ports)).map(({ path }) => path))
  /** What an owner types is admitted, wherever the test has it typed. */
  const consentHere = (owner: string): CommandContext['consent'] => {
    const [channel = '', sender_id = ''] = owner.split(':')
    const message = aMessage({ channel, sender_id, chat_id: sender_id, sentAtMs: now() })
    hearing.admits(message, 'privileged')
    return hearing.consentOf(message)
  }
  const contextOf = (
    text: string,
    { owner = me, chat = '7', isPrivate = true, isUnattested }: Who,
    said: Notice[],
  ): CommandContext => ({
    owner,
    address: { channel: 'telegram', chat_id: chat },
    message: aMessage({
      chat_id: chat,
      text,
      isPrivate,
      ...(isUnattested === undefined ? {} : { isUnattested }),
    }),
    consent: consentHere(owner),
    progress: (more) => void said.push(noticeOf(more)),
  })
  /** What the dispatcher does when a notice has left. */
  const left = ({ text }: Notice): void => {
    english.look(text)
    gatekeeper.handles.shown(handlesIn(text), hasParts(text))
  }
  const ask: BridgeService['ask'] = async (text, who = {}) => {
    english.theirs(text)
    const parsed = parseChat(text)
    if (parsed.kind === 'prose') throw new Error(`${JSON.stringify(text)} is prose.`)
    const said: Notice[] = []
    const context = contextOf(text, who, said)
    for (const line of parsed.lines) {
      const found = table.lookUp(line)
      said.push(noticeOf('unknown' in found ? found.unknown : await found.run(context)))
    }
    for (const notice of said) left(notice)
    return said
  }
  const say: BridgeService['say'] = async (text, who) =>
    (await ask(text, who)).map((notice) => textOf(notice)).join('\n\n')
  return {
    fixture,
    gatekeeper,
    hearing,
    consentOf: consentHere,
    store,
    ports,
    fired,
    shadowCounts,
    face,
    told,
    waits,
    others,
    foreign,
    doctored,
    propose,
    theirs: english.theirs,
    say,
    ask,
    chat,
    answers,
    table,
    restart: () => {
      table = createTable({ ...ports, shownBefore: shown })
    },
    tap: async (notice, label, who = {}) => {
      const press = notice?.buttons?.flat().find((button) => button.label === label)?.press ?? label
      const context = contextOf('', who, [])
      const done = await table.press(
        press,
        { ...context, message: { ...context.message, press: { data: press, on_message_id: 'm1' } } },
        (need) => {
          const role = gatekeeper.person(context.owner)?.role ?? 'owner'
          return roleGives(role, need)
            ? { ok: true }
            : { ok: false, code: 'role', words: verbatim(`a ${role}`) }
        },
      )
      const answer = noticeOf(done.said)
      left(answer)
      return { ...done, said: answer }
    },
    handleOf: async (command) => {
      const card = await say(`/hooks show ${command}`)
      const handle = /^[346789bcdfghjkmnpqrtvwx]{5}(?= )/.exec(card)?.[0]
      if (handle === undefined) throw new Error(`No handle for ${command} in\n${card}`)
      return handle
    },
    record: (record) => {
      english.theirs(JSON.stringify(record))
      store.addRecord({
        event_id: `event-${++count}`,
        atMs: now(),
        kind: 'event',
        subject: 'pre_tool_call',
        outcome: 'allow',
        ...record,
      })
    },
    settled: async () => {
      let seen: Promise<unknown>
      do {
        seen = approving
        await seen
        await new Promise((done) => setImmediate(done))
      } while (seen !== approving)
    },
    stop: async () => {
      await store.close()
      fixture.remove()
      english.theirs(JSON.stringify(foreign))
      english.expectNone()
    },
  }
}
