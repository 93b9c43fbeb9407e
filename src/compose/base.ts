import { randomUUID } from 'node:crypto'
import { createPageAccess, type PageAccess } from '../../bots/web/http/access.ts'
import { createViewers, type Viewers } from '../commands/cards/preferences.ts'
import { copyDefaults } from '../config/first-start.ts'
import type { Config } from '../config/load.ts'
import { historyFile, openHistory, type History } from '../history/history.ts'
import { createEvidenceMemory, type EvidenceMemory } from '../handlers/evidence/memory.ts'
import { createGivenPrompts, type GivenPrompts } from '../prompts/given-prompts.ts'
import type { Channel, ChannelPorts } from '../core/model/chat/channel.ts'
import { systemClock, type Clock } from '../core/model/base/clock.ts'
import type { Isolation } from '../isolation/isolation.ts'
import type { OpenedStore, StoreOptions } from '../store/open.ts'
import { createNodeProposals, type NodeProposals } from '../proposals/node-proposals.ts'
import type { NodeLine, NodeQuestion } from '../shared/nodes/protocol.ts'
import { createExchange, type Exchange } from '../server/exchange.ts'
import type { Begun, Life } from './ground.ts'
import type { WaitingServer } from './health/waiting-server.ts'
import { createProposing, type Propose } from './proposal-reader/propose.ts'
import { startProposalReader, type ProposalReader } from './proposal-reader/reader.ts'
import { withNodes } from './proposal-reader/with-nodes.ts'
import { createRecords } from './records.ts'

const dayMs = 24 * 60 * 60_000

export interface Options {
  readonly log: ChannelPorts['log']
  /** Channels beside those of the configuration. */
  readonly channels?: (ports: ChannelPorts) => readonly Channel[]
  /** Called when the gate has stopped because another one has taken over its database. */
  ended?(why: string): void
  /** The terminal where the gate was started. */
  readonly console?: {
    say(line: string): void
    /** A login of the page was used. */
    entered(): void
    /** Telegram named the bot. `draw` makes a QR code for a terminal, where its package is installed. */
    named?(bot: { readonly username: string; draw(link: string): Promise<string | undefined> }): void
    /** Asks for a number that the person types. Undefined: there was none. */
    number?(prompt: string, signal: AbortSignal): Promise<string | undefined>
  }
}

export interface AssemblyOptions extends Options, Partial<Pick<StoreOptions, 'openFile'>> {
  /**
   * A tap on a card's answers counts when the card is at least so old, in milliseconds. Absent: 1000. Tests
   * tap at once.
   */
  readonly leastAgeMs?: number
}

/** The person at the console, by the web page that only the console's login opens. */
export const webOwner = { id: 'web:owner', chat_id: 'main' }

/**
 * The base of every later chapter: the configuration, the folders, the store, clocks, and registries that
 * later chapters fill.
 */
export interface Base
  extends
    Clock,
    Pick<
      OpenedStore,
      'store' | 'lines' | 'sharedFiles' | 'isInCharge' | 'onInChargeAgain' | 'waitingGates' | 'untoldGates'
    > {
  readonly config: Config
  readonly options: AssemblyOptions
  readonly life: Life
  readonly log: Options['log']
  /** The isolation of agents and hooks. */
  readonly isolation: Isolation
  /** The reader of the proposals, of this machine and of the nodes. */
  readonly reader: ProposalReader
  /** The one way to write into the file of proposals. */
  readonly propose: Propose
  /** What the nodes propose. The nodes fill it. */
  readonly nodeProposals: NodeProposals
  /** The questions to nodes. */
  readonly nodeQuestions: Exchange<NodeQuestion, NodeLine>
  /** The connected messengers by name. The channels fill it. */
  readonly channels: Map<string, Channel>
  /** It answers on the page's port before the page does. */
  readonly waiting: WaitingServer
  /** Logins and the address of the web page. */
  readonly page: PageAccess
  /** The pages that show the list, and the login code of a messenger. */
  readonly viewers: Viewers
  /** The events of the last days. Undefined: gate.yaml keeps none. */
  readonly history: History | undefined
  /** What the gate wrote down, in the store and in the history. */
  readonly records: ReturnType<typeof createRecords>
  /** What hooks would have answered to the past, as trials found it since the start. */
  readonly evidence: EvidenceMemory
  /** The prompts that agents work on. */
  readonly givenPrompts: GivenPrompts
  /** 48 random bits: short enough to type from a phone, far more than a history has rows. */
  newId(): string
  after(delayMs: number, run: () => void): void
}

/** Opens the store, and starts to read what the files propose. */
export const openBase = async ({ config, options, life, ground }: Begun): Promise<Base> => {
  const { home, workspace } = config
  const { log } = options
  const { isFirst, waiting, isolation, open } = await ground
  const nodeProposals = createNodeProposals()
  const nodeQuestions = createExchange<NodeQuestion, NodeLine>({
    newId: randomUUID,
    lineOf: (id, question) => ({ type: 'question', id, question }),
    endOf: (id) => ({ type: 'end', id }),
  })
  const place = {
    path: isolation.world.path,
    readLaw: isolation.readLaw,
    listed: config.hooksEnv,
    hasModel: config.llm !== undefined,
  }
  const ownReader = startProposalReader(config, place, log)
  const reader = withNodes(ownReader, nodeProposals, nodeQuestions)
  life.onStop(() => reader.stop())
  const notCopied = copyDefaults(workspace, isFirst, isolation.asAgent)
  if (notCopied !== undefined)
    log('warn', 'not all examples and pages could be copied into the workspace', { why: notCopied })
  const opened = await open()
  waiting.taken()
  opened.onTakenOver(() => {
    const why = 'another hookgate has taken over the database'
    log('error', 'this gate ends', { why })
    void life.stop().then(() => options.ended?.(why))
  })
  const { days, megabytes, payloads } = config.history
  const history =
    days === 0
      ? undefined
      : openHistory({
          path: historyFile(home),
          keptMs: days * dayMs,
          maxBytes: megabytes * 1_000_000,
          withPayload: payloads,
          now: systemClock.now,
          log,
        })
  life.onStop(() => history?.stop())
  return {
    ...systemClock,
    config,
    options,
    life,
    log,
    isolation,
    reader,
    propose: createProposing({ config, reader, isolation }),
    nodeProposals,
    nodeQuestions,
    ...opened,
    channels: new Map(),
    waiting,
    page: createPageAccess(systemClock.now, config.web.origin),
    viewers: createViewers(),
    history,
    records: createRecords(opened.store, history, systemClock.now),
    evidence: createEvidenceMemory(),
    givenPrompts: createGivenPrompts(),
    newId: () => randomUUID().slice(24),
    after: (delayMs, run) => void setTimeout(run, delayMs),
  }
}
