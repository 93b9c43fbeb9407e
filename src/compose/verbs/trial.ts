import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Config } from '../../config/load.ts'
import { DIALECTS, decodeFor, envFor, stdinFor, variablesOf } from '../../dialects/dialects.ts'
import { readTrial, trialPayload, type Trial } from '../../dialects/trial-payload.ts'
import { createProposer } from '../../proposals/proposal.ts'
import { renamed } from '../../proposals/sealed-text.ts'
import type { ProgramContext } from '../../proposals/program/program.ts'
import { armPrepared, scratchSeals } from '../tries/scratch.ts'
import { readEntry } from '../../proposals/entry/entry.ts'
import { preparePython } from '../../handlers/transports/python.ts'
import { tryHook } from '../../handlers/trial.ts'
import { FOREIGN_DIALECTS, type ForeignDialect } from '../../core/model/hooks/dialect.ts'
import type { ArmedHook, Entry } from '../../core/model/hooks/entry.ts'
import { systemFolders, type ToldWorld } from '../../shared/hooks/hook-world.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { got, ProblemError, type Problem, type WithProblem } from '../../core/model/gate/problem.ts'
import { formatProblem } from '../../shared/base/problem.ts'
import { askWorld, readPayload } from '../../server/ask.ts'

/** The request, as it is typed at a terminal. */
export interface TrialRequest {
  readonly event: string
  readonly command: string
  readonly dialect?: string
  readonly payload?: string
  readonly timeoutMs: number
  /** The current folder. The command and the payload's name are relative to it. */
  readonly cwd: string
  /** The agent whose gate is asked where its hooks run. */
  readonly agent: string
}

const origin = 'hookgate test'
/** The PATH of hooks when no gate answers. The folder of Node comes last. */
const systemPath = [...systemFolders, dirname(process.execPath)].join(delimiter)

const orThrow = <T extends object>(read: T | { readonly problem: Problem }): T => {
  if ('problem' in read) throw new ProblemError(read.problem)
  return read
}

const dialectOf = (typed: string | undefined): ForeignDialect | undefined => {
  const foreign = FOREIGN_DIALECTS.find((name) => name === typed)
  if (typed === undefined || typed === 'native' || foreign !== undefined) return foreign
  const expected = ['native', ...FOREIGN_DIALECTS].join(', ')
  const message = `Expected --dialect to be ${expected}, got "${typed}".`
  throw new ProblemError({ code: 'test.dialect', message, fix: 'Name one of them.' })
}

/**
 * Makes the entry. The command of a native entry is a list of words, and that of a foreign one is a shell
 * text.
 */
const entryFor = ({ event, dialect }: Trial, { command, timeoutMs }: TrialRequest): Entry => {
  if (dialect === undefined) {
    // The gate refuses a longer timeout. A trial may have a shorter one, so that a test of it is fast.
    const timeout = Math.max(1, timeoutMs / 1000)
    const read = readEntry({ event, command, timeout }, 'hook', origin, { dialects: DIALECTS })
    if ('problem' in read) throw new ProblemError(read.problem)
    return { ...read.entry, timeoutMs }
  }
  if (command.trim() === '')
    throw new ProblemError({
      code: 'test.command',
      message: `Expected --command to be a command, got ${got(command)}.`,
      fix: 'Write it as it would stand in a configuration.',
    })
  return {
    event,
    type: 'command',
    command,
    args: [],
    shell: DIALECTS[dialect.name].shell,
    dialect,
    timeoutMs,
    onError: 'warn',
    priority: 100,
    isAsync: false,
    env: {},
    files: [],
    origin,
  }
}

const separationNotes: Readonly<Record<ToldWorld['separation'], string>> = {
  users: "Under the gate it runs as the hooks' own user, who may read and write less than you.",
  sandbox: 'Under the gate it runs in a sandbox: your home is not there, and /tmp is another.',
  none: '',
}

/** The differences from a run under the gate, each as a sentence for the reader of the result. */
const differences = (world: ToldWorld | undefined, cwd: string): readonly string[] =>
  [
    'HOME and TMPDIR were new and empty folders; under the gate they keep what hooks wrote there.',
    ...(world === undefined
      ? [
          "No running gate answered, so its users and its sandbox are not known; PATH was the system's own folders.",
        ]
      : [separationNotes[world.separation]]),
    ...(world === undefined || world.workspace === cwd
      ? []
      : [`The gate's workspace is ${world.workspace}; this ran in ${cwd}, and paths were read from there.`]),
  ].filter((words) => words !== '')

/** The file of the seal that would run, with its hash. */
const ranOf = ({ files: [first], interpreter }: Scratch): JsonObject => ({
  ...(first === undefined ? {} : { file: first.path, sha256: first.sha256 }),
  ...(interpreter === undefined ? {} : { interpreter }),
})

/** The result of a hook that an owner could not approve. It does not run here, either. */
const refused = (problem: Problem): JsonObject => ({
  decision: 'fault',
  fault: { kind: 'start', detail: formatProblem(problem) },
  exit_code: null,
  duration_ms: 0,
})

/** A temporary gate folder with seals, a HOME and the Python start file. It is removed after the trial. */
const withScratch = async <T>(use: (scratch: string) => Promise<T>): Promise<T> => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'hookgate-test-')))
  try {
    return await use(scratch)
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** An entry as it would run from its seal, with the facts that its card would show. */
interface Scratch {
  readonly hook: ArmedHook
  /** The files that would be sealed, then the files that would only be watched. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[]
  /** The real path of the program that runs it. */
  readonly interpreter?: string
  readonly unsealed: readonly string[]
  readonly missing: readonly string[]
}

/**
 * Seals an entry like an approval and arms it, without any approval. Reads and writes no gate. Returns the
 * same problems as an approval. The caller must remove `scratch`.
 */
const sealInScratch = async (
  entry: Entry,
  { scratch, ...context }: ProgramContext & { readonly home: string; readonly scratch: string },
): Promise<Scratch | WithProblem> => {
  const proposer = createProposer(context)
  const prepared = proposer.prepare(entry)
  if ('problem' in prepared) return prepared
  const { record } = prepared
  const place = { workspace: context.workspace, seals: scratchSeals(scratch), renamed }
  const hook = await armPrepared(prepared, place)
  if ('problem' in hook) return hook
  const { missing = [] } = proposer.propose(entry)
  return {
    hook,
    files: [...record.files, ...(record.watched ?? [])],
    interpreter: record.interpreter,
    unsealed: record.unsealed,
    missing,
  }
}

/**
 * Runs one command as a hook once, ungated, from a seal that belongs to nobody's gate, in the world that a
 * hook has as far as another process can make it, and says what it was sent and how its answer is understood.
 * Throws a ProblemError for what was typed wrongly.
 */
export const runTrial = async (request: TrialRequest, config: Config): Promise<JsonObject> => {
  const { event, command, dialect, payload: from, agent } = request
  const { home } = config
  const trial = orThrow(readTrial(event, dialectOf(dialect)))
  const cwd = realpathSync(request.cwd)
  const { payload } = orThrow(trialPayload(trial, readPayload(from), cwd, new Date()))
  const entry = entryFor(trial, { ...request, command })
  const world = (await askWorld({ home, agent })) as ToldWorld | undefined
  const { path, user, lang, tz } = world ?? { ...config, path: systemPath }
  return await withScratch(async (scratch) => {
    const sealed = await sealInScratch(entry, {
      workspace: cwd,
      path,
      home,
      scratch,
      person: config.person,
      variables: variablesOf,
    })
    if ('problem' in sealed) return refused(sealed.problem)
    const [own, temporary] = [join(scratch, 'home'), join(scratch, 'tmp')]
    for (const folder of [own, temporary]) mkdirSync(folder)
    const result = await tryHook({
      hook: sealed.hook,
      payload,
      env: {
        path,
        user,
        lang,
        home: own,
        tmpdir: temporary,
        python: preparePython(scratch),
        tz,
      },
      speech: { stdin: stdinFor, env: envFor },
      decode: decodeFor,
    })
    const remarks = [...sealed.unsealed.map((words) => `not sealed: ${words}`), ...sealed.missing]
    return {
      ...result,
      ran: ranOf(sealed),
      ...(remarks.length === 0 ? {} : { remarks }),
      differs: differences(world, cwd),
    }
  })
}
