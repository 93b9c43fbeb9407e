import { describe, expect, test } from 'vitest'
import { createTargets } from '../../../src/proposals/sources/targets.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import type { ProposedHook } from '../../../src/shared/gate/catalogue.ts'
import { armed } from '../../handlers/armed.ts'

const proposal = (entry: Partial<Entry>): ProposedHook => ({
  kind: 'entry',
  entry: armed('a', { event: 'pre_tool_call', ...entry }).entry,
})

const http = { env: { TOKEN: 'x' }, allowLocal: false }
const unresolved = {
  code: 'url.unresolved',
  message: 'Expected its name to be known, got none.',
  fix: 'Wait.',
}

/** What an address leads to, by name; a name that is not here is public. */
const targets = (names: Readonly<Record<string, 'private' | 'unknown'>> = {}, hasModel = true) =>
  createTargets({
    http,
    hasModel,
    resolve: (url) => {
      const found = names[new URL(url).hostname]
      return Promise.resolve(
        found === undefined
          ? undefined
          : found === 'unknown'
            ? unresolved
            : { code: 'url.target', message: 'It leads to 10.0.0.1.', fix: 'Correct it.' },
      )
    },
  })

const judged = async (entry: Partial<Entry>, made = targets()): Promise<string> => {
  const place = proposal(entry)
  await made.lookUp([place])
  const result = made.judge(place)
  return result.kind === 'invalid'
    ? `invalid: ${result.problem.message}`
    : ['fine', ...(result.remarks ?? [])].join(' · ')
}

describe('what a proposal aims at is judged when it is read', () => {
  test('a program, and a public address, are left as they are', async () => {
    expect(await judged({})).toBe('fine')
    expect(await judged({ type: 'http', command: 'https://guard.example.com/hook' })).toBe('fine')
  })
  test('a hook for all machines names no variable that only this one has', async () => {
    const env = { KEY: '$GUARD_KEY' }
    const made = createTargets({ http, hasModel: false, listed: { GUARD_KEY: 'x' } })
    expect(await judged({ env }, made)).toBe('fine')
    expect(await judged({ env, nodes: 'all' }, made)).toContain(
      'invalid: Expected "env" of a hook for all machines',
    )
    expect(await judged({ env: { WAY: '$PATH', RULES: 'strict' }, nodes: 'all' }, made)).toBe('fine')
  })
  test('a private address in the URL is invalid, without asking anybody', () => {
    expect(targets().judge(proposal({ type: 'http', command: 'http://127.0.0.1:1/hook' })).kind).toBe(
      'invalid',
    )
  })
  test('a name that leads to a private address is invalid', async () => {
    expect(
      await judged(
        { type: 'http', command: 'https://inner.example.com/' },
        targets({ 'inner.example.com': 'private' }),
      ),
    ).toBe('invalid: It leads to 10.0.0.1.')
  })
  test('a name that is not known now is a remark: it is checked again at each call', async () => {
    expect(
      await judged(
        { type: 'http', command: 'https://later.example.com/' },
        targets({ 'later.example.com': 'unknown' }),
      ),
    ).toContain('It is looked up again when the hook is asked.')
  })
  test('a header with a variable that gate.yaml does not list is invalid', async () => {
    expect(
      await judged({
        type: 'http',
        command: 'https://guard.example.com/',
        headers: { authorization: 'Bearer $TOKEN' },
      }),
    ).toBe('fine')
    expect(
      await judged({
        type: 'http',
        command: 'https://guard.example.com/',
        headers: { authorization: 'Bearer $SECRET' },
      }),
    ).toMatch(/^invalid: .*SECRET/)
  })
  test('a builtin that is none, or at an event that it does not serve, is invalid', async () => {
    expect(await judged({ type: 'builtin', command: 'add_dat' })).toMatch(/^invalid: /)
    expect(await judged({ type: 'builtin', command: 'add_date', event: 'on_session_end' })).toMatch(
      /^invalid: /,
    )
    expect(await judged({ type: 'builtin', command: 'add_date', event: 'pre_llm_call' })).toBe('fine')
  })
  test('a judge without a model is told that each question will be a fault', async () => {
    expect(await judged({ type: 'llm', command: 'Is it safe?' }, targets({}, false))).toContain(
      'gate.yaml names no model',
    )
  })
  test('looking up says whether something changed, so that the list is told anew only then', async () => {
    const made = targets({ 'inner.example.com': 'private' })
    const place = proposal({ type: 'http', command: 'https://inner.example.com/' })
    expect([await made.lookUp([place]), await made.lookUp([place])]).toEqual([true, false])
  })
})
