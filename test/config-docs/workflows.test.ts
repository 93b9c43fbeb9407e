import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Job {
  readonly needs?: string
  readonly uses?: string
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> }
  readonly steps?: readonly { readonly run?: string }[]
}
interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>
}
const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const readWorkflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`))
const runsOf = ({ steps = [] }: Job): readonly string[] => steps.map(({ run = '' }) => run)
const text = read('.github/workflows/release.yml')
const release = readWorkflow('release')
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }
/** What `npm run test:all` knows: each of it has a script of its own. */
const tests = ['quick', ...Object.keys(scripts).flatMap((name) => /^test:(?!all$)(.+)/.exec(name)?.[1] ?? [])]

// npm answers E422 otherwise, at the last step of a release. A fork publishes from another repository.
it('a release names its repository in the package before it publishes with provenance', () => {
  const runs = runsOf(release.jobs['npm'] ?? {})
  const at = (words: string): number => runs.findIndex((run) => run.includes(words))
  expect(at('npm publish --provenance')).toBeGreaterThan(0)
  expect(at('npm pkg set')).toBeGreaterThan(0)
  expect(at('npm pkg set')).toBeLessThan(at('npm pack'))
  expect(at('npm pkg set')).toBeLessThan(at('npm publish'))
  expect(runs[at('npm pkg set')]).toContain('repository.url=git+https://github.com/$GITHUB_REPOSITORY.git')
})

// A registry of images refuses "Acme/Gate".
it('the image is named after the repository in small letters', () => {
  expect(text).toContain('image=ghcr.io/${GITHUB_REPOSITORY,,}')
  expect(text.match(/ghcr\.io\//g)).toHaveLength(1)
})

it('each tier and each program of the tests has a job every night, and a release waits for all of them', () => {
  const { tests: job = {} } = readWorkflow('nightly').jobs
  expect(job.strategy?.matrix['tests']?.toSorted()).toEqual(tests.toSorted())
  expect(runsOf(job).at(-1)).toMatch(/ npm run test:all -- \$\{\{ matrix\.tests \}\}$/)
  expect(release.jobs['tests']?.uses).toBe('./.github/workflows/nightly.yml')
  expect(release.jobs['npm']?.needs).toBe('tests')
})

it('a release prints what is slower than in the last one, from a clone that has it', () => {
  const { bench: job = {} } = release.jobs
  expect(runsOf(job).at(-1)).toBe('npm run bench -- --against release')
  expect(job.steps?.[0]).toMatchObject({ with: { 'fetch-depth': 0 } })
})

it('a change is checked by what .ci/run runs after it has installed what it needs', () => {
  const runs = runsOf(readWorkflow('ci').jobs['test'] ?? {}).join('\n')
  const parts = [...read('.ci/run').matchAll(/^part (\S+) (.*)$/gm)].map(([, name = '', command = '']) => [
    name,
    command,
  ])
  expect(parts.length).toBeGreaterThan(5)
  for (const [name = '', command = ''] of parts) {
    if (name === 'packages') continue
    // A tier runs with the Node of the matrix, and not with the one that the repository pins.
    const tier = /npm test\b/.test(command) ? 'quick' : /npm run test:(\S+)/.exec(command)?.[1]
    expect(runs, name).toContain(tier === undefined ? command : `--project ${tier}`)
  }
})
