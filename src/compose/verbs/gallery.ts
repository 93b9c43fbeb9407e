import { conditionOf } from '../../handlers/condition/condition.ts'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { packageRoot, readGallery } from '../../config/first-start.ts'
import { viewFor } from '../../dialects/dialects.ts'
import { builtinProblem, pureBuiltins } from '../../handlers/builtins/builtins.ts'
import { planMatches } from '../../core/hooks/match/matcher.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { syntheticPayload } from '../../shared/events/synthetic.ts'
import { formatProblem } from '../../shared/base/problem.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import type { GalleryJob } from '../../shared/hooks/gallery.ts'
import { readJob } from '../proposal-reader/gallery.ts'

const scriptWithinMs = 30_000

/** The self-test of a script, which hookgate ships in its examples. */
const scriptFlaw = async ({ command }: Entry): Promise<string | undefined> => {
  const script = join(packageRoot(), 'examples', basename(command))
  const run = await execa(script, ['--self-test'], { timeout: scriptWithinMs, reject: false })
  return run.failed ? run.shortMessage : undefined
}

const shown = (payload: JsonObject): string => JSON.stringify(payload).slice(0, 200)

/** The first thing that a job does other than it says. Undefined: it does what it says. */
const builtinFlaw = async (
  entry: Entry,
  { stops = [], passes = [], adds }: GalleryJob,
): Promise<string | undefined> => {
  const problem = builtinProblem(entry)
  if (problem !== undefined) return formatProblem(problem)
  const base = syntheticPayload(entry.event, '/w', new Date(0))
  const hook = {
    fingerprint: '',
    entry,
    argv: [],
    cwd: '',
    workspace: '',
    hookDir: '',
    checkSeal: () => undefined,
  }
  const notLinear = (): Promise<never> => Promise.reject(new Error('its pattern is not linear'))
  const plan = planMatches([hook], { searchSlowly: notLinear, view: viewFor, conditionOf })
  const isAsked = async (fields: JsonObject): Promise<boolean> => {
    const payload = { ...base, ...fields }
    const isMatched = (await plan.match(payload)).size === 1
    return (
      isMatched &&
      (entry.command !== 'ask_owner' || 'decision' in (await pureBuiltins.ask_owner(entry.args, payload)))
    )
  }
  for (const fields of stops) if (!(await isAsked(fields))) return `it is not asked about ${shown(fields)}`
  for (const fields of passes) if (await isAsked(fields)) return `it is asked about ${shown(fields)}`
  if (adds === undefined) return undefined
  const context = pureBuiltins.add_context(entry.args, base)['context']
  return typeof context === 'string' && context.includes(adds) ? undefined : `it does not add "${adds}"`
}

/**
 * Tests each hook for a single job on its own samples. `flaw`: what is wrong with it. `jobs`: those of the
 * gallery.
 */
export const testGallery = async (
  jobs: readonly GalleryJob[] = readGallery(),
): Promise<readonly { readonly name: string; readonly flaw?: string }[]> =>
  await Promise.all(
    jobs.map(async (job) => {
      const { name } = job
      const read = readJob(job)
      const flaw =
        'problem' in read
          ? formatProblem(read.problem)
          : read.entry.type === 'builtin'
            ? await builtinFlaw(read.entry, job)
            : await scriptFlaw(read.entry)
      return flaw === undefined ? { name } : { name, flaw }
    }),
  )
