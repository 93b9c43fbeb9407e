// Runs the hooks that wild.lock.yaml names from the checkouts in WILD, at home and here, and compares: `npm run test:wild`.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { atHome, findNative, nativeHooks } from './home.ts'
import { bring, here } from './here.ts'
import { readLock, type WildCase, type WildSet } from './lock.ts'
import { judge, tables, type Result } from './report.ts'
import { clean, makeHome, makeWorkspace, prepare } from './world.ts'

const folder = process.env['WILD']
const only = process.env['WILD_ONLY']
const page = resolve(import.meta.dirname, '../../config/context/references/foreign-hooks.md')

if (folder === undefined || !existsSync(folder)) {
  process.stderr
    .write(`Expected WILD to be a folder with checkouts of other people's repositories, got ${folder === undefined ? 'nothing' : JSON.stringify(folder)}.
Bring it about with "node test/wild/fetch.ts <folder>" (about 30 repositories by git), then run "WILD=<folder> npm run test:wild".\n`)
  process.exit(1)
}

const lock = readLock()
const root = mkdtempSync(join(tmpdir(), 'hookgate-wild-'))
const home = join(root, 'home')
process.env['HOME'] = home
process.env['XDG_CONFIG_HOME'] = join(home, '.config')
process.env['PATH'] = `${join(home, '.local/bin')}:/usr/local/bin:/usr/bin:/bin`
process.env['SHELL'] = '/bin/bash'
for (const name of Object.keys(process.env))
  if (/^(?:GIT_|CLAUDE|npm_|PYTHON|PYENV|VIRTUAL)/i.test(name)) delete process.env[name]

// The gate reads its world when it is first imported, so that comes after the world is made.
const { startPlane } = await import('../plane.ts')

const commitOf = (checkout: string): string =>
  execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()

const configPath = (workspace: string, { system, source, config }: WildSet, { hook }: WildCase): string => {
  const place = join(workspace, config)
  if ((source ?? system) === 'claude-plugin') return join(place, 'hooks/hooks.json')
  if (system === 'agent-hooks') return join(place, hook.split(' ')[1] ?? '', 'HOOK.md')
  if (place.endsWith('.json') || !system.startsWith('copilot')) return place
  const files = execFileSync('ls', [place], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => name.endsWith('.json'))
  return join(
    place,
    files.length === 1
      ? (files[0] ?? '')
      : (files.find((name) =>
          readFileSync(join(place, name), 'utf8').includes(`"${hook.split(' ')[0] ?? ''}"`),
        ) ?? ''),
  )
}

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
  const plane = await startPlane()
  makeWorkspace(plane.workspace, home, checkout, set)
  try {
    plane.gate.gatekeeper.setSwitch(true, 'memory:owner')
    await bring(plane, set)
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
        const seen = await here(plane, one)
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
          line: error instanceof Error ? error.message : String(error),
        })
      }
    }
    return results
  } finally {
    await plane.stop()
  }
}

const results: Result[] = []
const absent: string[] = []
let count = 0
try {
  for (const [repository, { commit, sets }] of Object.entries(lock.repositories)) {
    if (only !== undefined && !repository.includes(only) && !sets.some(({ system }) => system === only))
      continue
    const checkout = resolve(folder, repository)
    if (!existsSync(checkout)) {
      absent.push(repository)
      continue
    }
    if (commitOf(checkout) !== commit)
      throw new Error(
        `Expected ${repository} to stand at ${commit}, got ${commitOf(checkout)}. Run "node test/wild/fetch.ts ${folder}".`,
      )
    for (const set of sets) {
      if (only !== undefined && !repository.includes(only) && set.system !== only) continue
      count += 1
      const found = await runSet(repository, checkout, set, count).catch((error: unknown) =>
        set.cases.map((one): Result => ({
          repository,
          system: set.system,
          one,
          isRight: false,
          isDifferent: true,
          line: `the set cannot be run: ${error instanceof Error ? error.message : String(error)}`,
        })),
      )
      for (const one of found)
        process.stdout.write(
          `${one.isRight ? (one.isDifferent ? '≠' : '✓') : '✗'} ${one.system.padEnd(14)} ${repository}  ${one.one.hook}${one.line === '' ? '' : `\n    ${one.line}`}\n`,
        )
      results.push(...found)
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}

const rendered = tables(results)
process.stdout.write(`\n${rendered}\n`)
for (const name of absent) process.stdout.write(`Not there: ${name}\n`)
const isWhole = absent.length === 0 && only === undefined
const failed = results.filter(({ isRight }) => !isRight).length
process.stdout.write(
  `${results.length} hooks of ${new Set(results.map(({ repository }) => repository)).size} repositories: ${results.length - failed} as at home or as their card says, ${failed} not.\n`,
)
if (isWhole && failed === 0) {
  const text = readFileSync(page, 'utf8')
  writeFileSync(
    page,
    text.replace(
      /(<!-- generated: wild -->\n)[^]*?(<!-- \/generated: wild -->)/,
      (_, begin: string, end: string) => `${begin}${rendered}\n${end}`,
    ),
  )
}
process.exit(failed === 0 && absent.length === 0 ? 0 : 1)
