// Runs the hooks that wild.lock.yaml names from the checkouts in WILD, at home and here, and compares them:
// `npm run test:wild`.
import { actingIn } from '../consent.ts'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startModel } from '../fixtures/model/model.ts'
import { atHome, findNative, nativeHooks } from './home.ts'
import { bring, here } from './here.ts'
import { readLock, type WildSet } from './lock.ts'
import { judge, tables, type Result } from './report.ts'
import { clean, configPath, makeHome, makeWorkspace, prepare } from './world.ts'

const folder = process.env['WILD']
const only = process.env['WILD_ONLY']
/** As a person would have it: other users or a sandbox where this machine has them. */
const separation = process.env['WILD_SEPARATION'] === 'none' ? 'none' : 'auto'
const page = resolve(import.meta.dirname, '../../config/context/references/foreign-hooks.md')

if (folder === undefined || !existsSync(folder)) {
  const said = folder === undefined ? 'nothing' : JSON.stringify(folder)
  process.stderr
    .write(`Expected WILD to be a folder with checkouts of other people's repositories, got ${said}.
Bring it about with "node test/wild/fetch.ts <folder>" (40 repositories, by git).
Then run "WILD=<folder> npm run test:wild".\n`)
  process.exit(1)
}

const lock = readLock()
const root = mkdtempSync(join(tmpdir(), 'hookgate-wild-'))
// A person's agent reads that person's home, whoever it runs as.
chmodSync(root, 0o755)
const home = join(root, 'home')
process.env['HOME'] = home
process.env['XDG_CONFIG_HOME'] = join(home, '.config')
process.env['PATH'] = `${join(home, '.local/bin')}:/usr/local/bin:/usr/bin:/bin`
process.env['SHELL'] = '/bin/bash'
for (const name of Object.keys(process.env))
  if (/^(?:GIT_|CLAUDE|npm_|PYTHON|PYENV|VIRTUAL)/i.test(name)) delete process.env[name]

// The gate reads its world when it is first imported, so that comes after the world is made.
const { startPlane } = await import('../plane.ts')

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const commitOf = (checkout: string): string =>
  execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()

/** All cases of one file: each first at home, in a workspace of its own, then here. */
const runSet = async (
  repository: string,
  checkout: string,
  set: WildSet,
  setIndex: number,
): Promise<readonly Result[]> => {
  makeHome(home)
  const there = {
    system: set.system,
    workspace: join(root, `home-${setIndex}`, 'project'),
    transcript: join(root, 'transcript.jsonl'),
  }
  mkdirSync(there.workspace, { recursive: true })
  makeWorkspace(there.workspace, home, checkout, set)
  let answer = ''
  // A prompt in which the call was not filled in gets no answer that anybody could read.
  const model = set.cases.some((one) => one.model !== undefined)
    ? await startModel(({ body }) => ({ text: JSON.stringify(body).includes('$ARGUMENTS') ? '' : answer }))
    : undefined
  const gateYaml = model === undefined ? '' : `llm: {base_url: "${model.url}/v1", model: small}\n`
  const plane = await startPlane(undefined, {}, {}, separation, {}, gateYaml)
  makeWorkspace(plane.workspace, home, checkout, set)
  try {
    await actingIn(plane.gate.gatekeeper).setSwitch(true)
    await bring(plane, [set])
    const results: Result[] = []
    for (const one of set.cases) {
      try {
        const [native = ''] = one.hook.split(' ')
        prepare(there.workspace, one.before)
        const raw =
          one.doc === undefined
            ? atHome(
                one,
                set,
                findNative(one, nativeHooks(set.system, configPath(there.workspace, set, one))),
                { ...there, native },
                home,
              )
            : { outcome: one.expect }
        const leftThere =
          one.leaves === undefined || one.doc !== undefined || existsSync(join(there.workspace, one.leaves))
        clean(there.workspace)
        prepare(plane.workspace, one.before)
        answer = one.model ?? ''
        const seen = await here(plane, one, set.config)
        const left = one.leaves === undefined || existsSync(join(plane.workspace, one.leaves))
        clean(plane.workspace)
        results.push(judge({ repository, set, one, raw, seen, leftThere, left }))
      } catch (error) {
        results.push({
          repository,
          system: set.system,
          one,
          isRight: false,
          isDifferent: true,
          line: messageOf(error),
        })
      }
    }
    return results
  } finally {
    await plane.stop()
    await model?.stop()
  }
}

/** A set that cannot even be set up is wrong in all its cases. */
const runOrFail = (
  repository: string,
  checkout: string,
  set: WildSet,
  index: number,
): Promise<readonly Result[]> =>
  runSet(repository, checkout, set, index).catch((error: unknown) =>
    set.cases.map((one): Result => ({
      repository,
      system: set.system,
      one,
      isRight: false,
      isDifferent: true,
      line: `the set cannot be run: ${messageOf(error)}`,
    })),
  )

const isMeant = (repository: string, { system }: WildSet): boolean =>
  only === undefined || repository.includes(only) || system === only

const marks = { right: '✓', told: '≠', wrong: '✗' } as const

const show = ({ repository, system, one, isRight, isDifferent, line }: Result): void => {
  const mark = isRight ? (isDifferent ? marks.told : marks.right) : marks.wrong
  process.stdout.write(
    `${mark} ${system.padEnd(14)} ${repository}  ${one.hook}${line === '' ? '' : `\n    ${line}`}\n`,
  )
}

const results: Result[] = []
const absent: string[] = []
let count = 0
try {
  for (const [repository, { commit, sets }] of Object.entries(lock.repositories)) {
    const meant = sets.filter((set) => isMeant(repository, set))
    const checkout = resolve(folder, repository)
    if (meant.length > 0 && !existsSync(checkout)) absent.push(repository)
    if (meant.length === 0 || !existsSync(checkout)) continue
    const found = commitOf(checkout)
    const again = `Run "node test/wild/fetch.ts ${folder}".`
    if (found !== commit)
      throw new Error(`Expected ${repository} to stand at ${commit}, got ${found}. ${again}`)
    for (const set of meant) {
      count += 1
      const ran = await runOrFail(repository, checkout, set, count)
      ran.forEach(show)
      results.push(...ran)
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}

const rendered = tables(results)
const failed = results.filter(({ isRight }) => !isRight).length
const repositories = new Set(results.map(({ repository }) => repository)).size
process.stdout.write(`\n${rendered}\n\n`)
for (const name of absent) process.stdout.write(`Not there: ${name}\n`)
process.stdout.write(
  `${results.length} hooks of ${repositories} repositories: ` +
    `${results.length - failed} are as at home or as their card says, ${failed} are not.\n`,
)
if (absent.length === 0 && only === undefined && failed === 0) {
  const opening = /(<!-- generated: wild -->\n)[^]*?(<!-- \/generated: wild -->)/
  const between = (_: string, begin: string, end: string): string => `${begin}${rendered}\n${end}`
  writeFileSync(page, readFileSync(page, 'utf8').replace(opening, between))
}
process.exit(failed === 0 && absent.length === 0 ? 0 : 1)
