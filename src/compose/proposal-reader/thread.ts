/**
 * The thread of the proposal reader. It reads and judges what the agent can write, and it can be killed at
 * any moment.
 */
import type { Prepared } from '../../core/model/approval/approved.ts'
import { createHash } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { isInside, readBounded } from '../../config/read-bounded.ts'
import { readSwitchFile, renderSwitchFile } from '../../config/read-switch-file.ts'
import { switchFile, type Rendered } from '../../config/switch-file.ts'
import type { Config } from '../../config/load.ts'
import { DIALECTS, variablesOf } from '../../dialects/dialects.ts'
import { createProposer, type Sealable } from '../../proposals/proposal.ts'
import { createFiles } from '../../proposals/sources/foreign/files.ts'
import type { Source } from '../../proposals/sources/source.ts'
import { shellHooksFile } from '../../proposals/sources/systems.ts'
import { createSources, type Readable } from '../../proposals/sources/sources.ts'
import { createTargets } from '../../proposals/sources/targets.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import type { ProposedHook } from '../../shared/gate/catalogue.ts'
import type { Problem, WithProblem } from '../../core/model/gate/problem.ts'
import { readRulesOf, type ReadLaw } from '../../isolation/reading.ts'
import { renderProposal } from './add-proposal.ts'
import { createStep } from './killable-step.ts'
import { stampsNow } from './stamp-watch.ts'

/** What a reader has to know of this machine. */
export interface ReaderPlace {
  /** The fixed PATH of hooks. */
  readonly path: string
  readonly readLaw: ReadLaw
  /** The variables that the owner lets hooks have. */
  readonly listed: Readonly<Record<string, string>>
  /** Hooks of type llm have a model. */
  readonly hasModel: boolean
}

/** What a reader has to know of the configuration. */
export type ReaderScope = Pick<Config, 'home' | 'workspace' | 'person' | 'agentHooks' | 'http'>

export interface ReaderData extends ReaderPlace, ReaderScope {
  /** The steps that earlier threads did not finish. They are not tried again. */
  readonly spent: readonly string[]
  /** The files that the previous thread could read last. */
  readonly readable?: Readable
  /** The memory in which this thread writes its current step. */
  readonly step: SharedArrayBuffer
}

/** One place of a source, with all that an approval of it would seal. */
export interface SeenPlace {
  readonly place: ProposedHook
  readonly sealable?: Sealable
}

/** The current content of all files. */
export interface Seen {
  readonly places: readonly SeenPlace[]
  readonly problem?: Problem
  /** The state of the switch that agent.yaml names. */
  readonly switchInFile?: boolean
}

/** `about`: the entry that a person named. It is checked before all others. */
interface LookQuestion {
  readonly kind: 'look'
  readonly about?: string | undefined
}

/** `folder`: where the entry's files are. Absent: in the workspace. */
interface PrepareQuestion {
  readonly kind: 'prepare'
  readonly entry: Entry
  readonly folder?: string | undefined
}

export type Question =
  | LookQuestion
  | PrepareQuestion
  | { readonly kind: 'render'; readonly isOn: boolean }
  | { readonly kind: 'add'; readonly hook: JsonObject }

export type ToReader = Question & { readonly id: number }

/** The first message to a thread. The thread has loaded its code before it comes. */
export interface Begin {
  readonly kind: 'begin'
  readonly data: ReaderData
}

/** A round has ended, and nothing has changed since the round before it. So the thread may end. */
export interface Rested {
  readonly kind: 'rested'
  /** The absolute paths that the round depends on. */
  readonly places: readonly string[]
  /** Their stamps. The round has read what they stand for. */
  readonly stamps: string
}

export type FromReader =
  | { readonly kind: 'seen'; readonly seen: Seen; readonly readable: Readable }
  | Rested
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }

const port = parentPort
if (port === null)
  throw new Error(
    'Expected to run as a worker thread, got the main thread. Start it through startProposalReader.',
  )

const maxConfigBytes = 4_000_000
/** The pause between rounds, in milliseconds. After a long round it is twice the round's length. */
const everyMs = 1000
/** The time between two checks for questions, in milliseconds. */
const deafMs = 20
/**
 * The time for a question about everything, in milliseconds. The remaining entries come in the next rounds.
 */
const askedMs = 1000
/** The number of paths that are watched by their stamps. With more paths, the thread never ends. */
const maxPlaces = 2000

const asked: ToReader[] = []
let serveAsked = (): void => undefined
const data = await new Promise<ReaderData>((resolve) =>
  port.on('message', (message: Begin | ToReader) => {
    if (message.kind === 'begin') return resolve(message.data)
    asked.push(message)
    return serveAsked()
  }),
)

const { home, workspace, path, person } = data
const { refuses, refusesSource } = readRulesOf(data.readLaw)
const spent = new Set(data.spent)
const step = createStep(data.step)

/**
 * Runs one named step. If it does not end, the gate kills this thread, and the next thread leaves the step
 * out.
 */
const taking = <T>(what: string, otherwise: () => T, take: () => T): T => {
  if (spent.has(what)) return otherwise()
  step.begin(what)
  try {
    return take()
  } finally {
    step.end()
  }
}

const tooHard = 'too hard to read: reading it did not end in time'
const files = createFiles(workspace, (file) => {
  if (isInside(home, file)) return { why: "inside the gate's own folder" }
  const what = `file ${file} ${files.stamp(file)}`
  if (spent.has(what)) return { why: tooHard }
  // A delay counts for this file until the next one is read.
  step.begin(what)
  return readBounded(file, maxConfigBytes, refusesSource)
})

const sources = createSources({
  ...files,
  dialects: DIALECTS,
  userHooks: data.agentHooks,
  person,
  targets: createTargets({ http: data.http, listed: data.listed, hasModel: data.hasModel }),
  readable: data.readable,
})
step.end()
const proposer = createProposer({ workspace, home, path, person, variables: variablesOf, refuses })

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')
const switchFilePath = switchFile(workspace)
const readSwitch = (): boolean | undefined =>
  taking(
    `file ${switchFilePath} ${files.stamp(switchFilePath)}`,
    () => undefined,
    () => readSwitchFile(workspace),
  )

const render = (isOn: boolean): Rendered =>
  taking(
    `file ${switchFilePath} ${files.stamp(switchFilePath)}`,
    () => ({ why: `config/agent.yaml was left as it is: it is ${tooHard}.` }),
    () => renderSwitchFile(workspace, isOn, refuses),
  )

const add = (hook: JsonObject): Rendered =>
  taking(
    `add ${digestOf(hook)} ${files.stamp(join(workspace, shellHooksFile))}`,
    () => ({ why: `${shellHooksFile} was left as it is: it is ${tooHard}.` }),
    () => renderProposal(workspace, hook, refuses),
  )

const keys = new WeakMap<Entry, string>()
const keyOf = (entry: Entry): string => {
  const key = keys.get(entry) ?? `entry ${digestOf(entry)}`
  keys.set(entry, key)
  return key
}

const tooHardToCheck: Problem = {
  code: 'program.hard',
  message: 'This hook takes too long to check.',
  fix: 'Propose a shorter text or smaller files.',
}

const hard: Sealable = { unsealed: [], files: [], problem: tooHardToCheck }
/** The gate itself has written what is in such a folder, so everything in it may be read. */
const proposerIn = (folder: string): Pick<typeof proposer, 'prepare'> =>
  createProposer({ workspace: folder, home, path, variables: variablesOf })

/** Reads and checks every file of an entry now, as an approval does. */
const prepare = ({ entry, folder }: PrepareQuestion): Prepared | WithProblem =>
  taking(
    keyOf(entry),
    () => ({ problem: tooHardToCheck }),
    () => (folder === undefined ? proposer : proposerIn(folder)).prepare(entry),
  )

/** The last result of each entry, by its digest, because an entry that is read again is another object. */
let known = new Map<string, Sealable>()
let cursor = 0
const entriesNow = (): readonly Entry[] =>
  sources.get().proposed.flatMap((place) => (place.kind === 'entry' ? [place.entry] : []))

const lookAt = (entry: Entry): void =>
  void known.set(
    keyOf(entry),
    taking(
      keyOf(entry),
      () => hard,
      () => proposer.propose(entry),
    ),
  )

let switchInFile: boolean | undefined
let told = ''

/** Makes equal lists of files one object, because many hooks share them. */
const sharing = (): ((sealable: Sealable) => Sealable) => {
  const lists = new Map<string, Sealable['files']>()
  return (sealable) => {
    const key = JSON.stringify(sealable.files)
    const list = lists.get(key) ?? sealable.files
    lists.set(key, list)
    return { ...sealable, files: list }
  }
}

const tell = (): void => {
  const { proposed, problem }: Source = sources.get()
  const share = sharing()
  const places = proposed.map((place): SeenPlace => {
    const sealable = place.kind === 'entry' ? known.get(keyOf(place.entry)) : undefined
    return { place, sealable: sealable && share(sealable) }
  })
  known = new Map(
    entriesNow().flatMap((entry) => {
      const sealable = known.get(keyOf(entry))
      return sealable === undefined ? [] : [[keyOf(entry), sealable] as const]
    }),
  )
  const seen: Seen = {
    places,
    problem,
    switchInFile,
  }
  const digest = digestOf(seen)
  if (digest === told) return
  told = digest
  port.postMessage({ kind: 'seen', seen, readable: sources.readable() } satisfies FromReader)
}

/** Checks entries one after another, until the time is over or a question comes. */
const lookThrough = async (entries: readonly Entry[], untilMs: number): Promise<void> => {
  let deafUntilMs = performance.now() + deafMs
  for (const entry of entries) {
    const nowMs = performance.now()
    if (nowMs > untilMs) return
    if (nowMs > deafUntilMs) {
      await turn()
      if (asked.length > 0) return
      deafUntilMs = performance.now() + deafMs
    }
    lookAt(entry)
    cursor += 1
  }
}

/** The entries in the order of their turns: those without a turn yet come first. */
const inTurn = (entries: readonly Entry[]): readonly Entry[] => {
  const from = entries.length === 0 ? 0 : cursor % entries.length
  return [...entries.slice(from), ...entries.slice(0, from)]
}

const look = async ({ about }: LookQuestion): Promise<void> => {
  sources.reload()
  step.end()
  switchInFile = readSwitch()
  const entries = entriesNow()
  const named =
    about === undefined
      ? []
      : entries.filter(
          (entry) => about.includes(entry.command) || about === known.get(keyOf(entry))?.fingerprint,
        )
  for (const entry of named) lookAt(entry)
  if (named.length === 0) await lookThrough(inTurn(entries), performance.now() + askedMs)
  tell()
}

const answer = async (question: ToReader): Promise<void> => {
  const reply = (answer: unknown, moved: ArrayBuffer[] = []): void =>
    port.postMessage({ kind: 'answer', id: question.id, answer } satisfies FromReader, moved)
  if (question.kind === 'render') return reply(render(question.isOn))
  if (question.kind === 'add') return reply(add(question.hook))
  if (question.kind === 'look') return reply(await look(question))
  const prepared = prepare(question)
  if ('problem' in prepared) return reply({ problem: prepared.problem })
  // The gate gets the bytes without a copy of them.
  const contents = prepared.contents.map((file) => ({ ...file, content: new Uint8Array(file.content) }))
  return reply(
    { record: prepared.record, contents },
    contents.map(({ content }) => content.buffer),
  )
}

/**
 * The paths that the last round depends on. A change of one of them, or in its folder, starts a new round.
 */
const placesNow = (): readonly string[] | undefined => {
  const filesOf = ({ files: sealed, watched = [], absent = [] }: Sealable): readonly string[] =>
    [...sealed, ...watched]
      .map((file) => file.path)
      .concat(absent)
      .flatMap((name) => [name, dirname(name)])
  const sealables = sources
    .get()
    .proposed.flatMap((place) => (place.kind === 'entry' ? [known.get(keyOf(place.entry))] : []))
  const names = new Set([
    switchFilePath,
    ...sources.places(),
    ...sealables.flatMap((sealable) => (sealable === undefined ? [] : filesOf(sealable))),
  ])
  const hasAll = sealables.every((sealable) => sealable !== undefined)
  return hasAll && names.size <= maxPlaces ? [...names].map((name) => resolve(workspace, name)) : undefined
}

let lastStamps: string | undefined
/**
 * The stamps are taken here and not by the gate: only a change between two rounds of this thread is known to
 * be read by the next one.
 */
const rested = (): Rested | undefined => {
  const places = placesNow()
  const stamps =
    places === undefined
      ? undefined
      : taking(
          'the stamps of all files',
          () => undefined,
          () => stampsNow(places),
        )
  const isStill = stamps !== undefined && stamps === lastStamps && sources.isCurrent()
  lastStamps = stamps
  return isStill && places !== undefined ? { kind: 'rested', places, stamps } : undefined
}

let timer: NodeJS.Timeout | undefined
let isServing = false
const serve = async (): Promise<void> => {
  if (isServing) return
  isServing = true
  clearTimeout(timer)
  const beganMs = performance.now()
  const isAsked = asked.length > 0
  for (let question = asked.shift(); question !== undefined; question = asked.shift()) await answer(question)
  sources.reloadIfMoved()
  step.end()
  switchInFile = readSwitch()
  await lookThrough(inTurn(entriesNow()), Number.POSITIVE_INFINITY)
  tell()
  isServing = false
  if (asked.length > 0) return serve()
  const end = rested()
  if (!isAsked && end !== undefined) port.postMessage(end satisfies FromReader)
  timer = setTimeout(() => void serve(), Math.max(everyMs, 2 * (performance.now() - beganMs)))
}

serveAsked = () => void serve()
void serve()
