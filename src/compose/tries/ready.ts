import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeFor, envFor, stdinFor, viewFor } from '../../dialects/dialects.ts'
import { renamed } from '../../proposals/sealed-text.ts'
import { armCopy, armPrepared, scratchSeals } from './scratch.ts'
import { createPastHook, type PastHook } from '../../handlers/evidence/past.ts'
import { startTrialPrograms, type TrialPrograms } from '../../handlers/evidence/programs.ts'
import type { Backtracking } from '../../handlers/observers/backtracking.ts'
import { preparePython } from '../../handlers/transports/python.ts'
import type { Problem } from '../../core/model/gate/problem.ts'
import type { ArmedHook, Entry } from '../../core/model/hooks/entry.ts'
import { createNodeOf } from '../../shared/nodes/node-of.ts'
import type { Base } from '../base.ts'
import type { GateChapter } from '../gate.ts'
import type { HookChapter } from '../hooks.ts'

export const problem = (code: string, message: string, fix: string): Problem => ({
  code: `try.${code}`,
  message,
  fix,
})

const changedSince = problem(
  'changed',
  'The file has changed since its card was shown.',
  'See it as it is now: /hooks',
)

/** The bytes that are asked: those of an approval, or those that a file proposes now. */
export interface TriedBytes {
  readonly entry: Entry
  readonly fingerprint: string
  readonly isSealed: boolean
}

/** The folder of one hook under trial, and the files of past pushes that it may read. */
export interface TrialPlace {
  readonly folder: string
  readonly files: readonly string[]
}

/**
 * Makes a hook ready to be asked about the past. Its bytes are copied first, so that a later change of the
 * file or of the approval changes nothing. A program runs in a strict sandbox of its own; the caller has to
 * stop what is added to `programs`.
 */
export const createReady = (
  { config, isolation, reader, elapsedMs }: Base,
  { gatekeeper }: GateChapter,
  { hooks }: HookChapter,
  slow: Backtracking,
) => {
  const { home, workspace, user, lang, tz } = config

  const armedCopy = async (
    { entry, fingerprint, isSealed }: TriedBytes,
    seals: string,
  ): Promise<ArmedHook | { readonly problem: Problem }> => {
    const place = { workspace, seals, renamed }
    if (isSealed) {
      const approval = gatekeeper.state().approvals.get(fingerprint)
      return approval === undefined
        ? { problem: changedSince }
        : await armCopy(approval, join(home, 'seal'), place)
    }
    const prepared = await reader.prepare(entry)
    if ('problem' in prepared) return prepared
    return prepared.record.fingerprint === fingerprint
      ? await armPrepared(prepared, place)
      : { problem: changedSince }
  }

  return async (
    bytes: TriedBytes,
    { folder, files }: TrialPlace,
    programs: TrialPrograms[],
  ): Promise<PastHook | { readonly problem: Problem }> => {
    await mkdir(folder, { recursive: true, mode: 0o711 })
    const seals = scratchSeals(folder)
    const hook = await armedCopy(bytes, seals)
    if ('problem' in hook) return hook
    const ports = {
      searchSlowly: slow.test,
      view: viewFor,
      nodeOf: createNodeOf(config.agents),
      elapsedMs,
    }
    if (hook.entry.type === 'builtin') return createPastHook(hook, { ...ports, ask: hooks.ask })
    const python = preparePython(folder)
    const strict = await isolation.strict(folder, [seals, python, ...files])
    if ('why' in strict)
      return {
        problem: problem(
          'sandbox',
          `There is no sandbox in which a hook that nobody approved can do no harm: ${strict.why}.`,
          strict.fix,
        ),
      }
    const started = await startTrialPrograms({
      sandbox: strict.startAs.prefix,
      mark: isolation.mark.value,
      path: isolation.world.path,
      user,
      lang,
      tz,
      python,
      speech: { stdin: stdinFor, env: envFor },
      decode: decodeFor,
      elapsedMs,
    })
    programs.push(started)
    return createPastHook(hook, { ...ports, ask: (...asked) => started.ask(...asked, []) })
  }
}
