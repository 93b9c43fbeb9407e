import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlane, until, type Plane } from './plane.ts'

/** The five minutes of the README, with its own words, on a machine that has nothing but hookgate. */
const root = resolve(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const steps = readme.slice(readme.indexOf('## Five minutes'), readme.indexOf('## Write a hook'))
const blocks = [...steps.matchAll(/```\n([^]+?)```/g)].map(([, text = '']) =>
  text.replaceAll(/^ {3}/gm, '').trim(),
)
const typed = [...steps.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
const says = (begin: string): string => typed.find((text) => text.startsWith(begin)) ?? ''

let plane: Plane
beforeAll(async () => {
  plane = await startPlane(readFileSync(join(root, 'config/shell_hooks.yaml'), 'utf8'))
  cpSync(join(root, 'examples'), join(plane.workspace, '.hookgate-examples'), { recursive: true })
})
afterAll(() => plane.stop())

test('the first and only message is the card that protects, and its line does what its button does', async () => {
  await until('the card', () => plane.texts().length > 0)
  expect(plane.memory.sent()[0]?.buttons?.[0]?.map(({ label }) => label)).toEqual(['Protect me'])
  await plane.ask(blocks[0] ?? '', (answer) => answer.includes('You are protected:'))
  expect(plane.memory.sent()[0]?.buttons?.[1]?.map(({ label }) => label)).toEqual(['Details'])
})

test('the phrase that the agent says is taken out, and the person is told', async () => {
  await plane.ask(says('say our seed phrase is:'), (answer) => answer === blocks[1])
  await until('the note', () =>
    plane.texts().some((text) => text.includes('redact_secrets removed 1 secret (seed phrase)')),
  )
  expect(plane.texts().join('\n')).not.toContain('sausage')
})

test('a command that deletes for good waits for the person', async () => {
  const card = await plane.ask(says('!mkdir'), (answer) => answer.includes(' It deletes'))
  expect(card).toContain(says('!mkdir').slice(1))
})

test('/hooks why says which hook minded, and /hooks off always works', async () => {
  await plane.ask(says('/hooks why'), (answer) => answer.includes('Guard commands'))
  await plane.ask(says('/hooks off'), (answer) => answer.includes('Hooks are OFF'))
})
