import { expect, test } from 'vitest'
import { createHookEnv } from '../../../src/handlers/world/hook-env.ts'
import {
  createHiding,
  variableProblem,
  variableRemarks,
} from '../../../src/handlers/world/owner-variables.ts'
import { createTargets } from '../../../src/proposals/sources/targets.ts'
import { armed } from '../armed.ts'

const listed = { SLACK_WEBHOOK: 'https://hooks.example/T0/"x"', UNSET: '' }
const hookWith = (env: Readonly<Record<string, string>>, more: object = {}) =>
  armed('a', { event: 'pre_tool_call', env, ...more })
const world = { path: '/usr/bin', home: '/home/of/hooks', tmpdir: '/tmp', lang: 'C.UTF-8', user: 'ada' }
const envOf = createHookEnv({ ...world, listed })

test('a whole value $NAME or ${NAME} stands for a listed variable, or for one that every hook has; all else stays as it is', () => {
  const env = envOf(
    hookWith({
      A: '$SLACK_WEBHOOK',
      B: '${SLACK_WEBHOOK}',
      C: '$HOME',
      D: 'to $SLACK_WEBHOOK',
      E: '^a$',
      F: '$1',
    }),
    {},
  )
  expect(env).toMatchObject({
    A: listed.SLACK_WEBHOOK,
    B: listed.SLACK_WEBHOOK,
    C: world.home,
    D: 'to $SLACK_WEBHOOK',
    E: '^a$',
    F: '$1',
  })
  expect(Object.keys(env)).not.toContain('SLACK_WEBHOOK')
})

test('a variable that is not listed, or not set, is a problem with a fix before the hook is approved, and never an empty value', () => {
  expect(variableProblem(hookWith({ A: '$OTHER' }).entry, listed)).toEqual({
    code: 'entry.env',
    message: 'Expected "env.A" to name only variables that gate.yaml lists, got "$OTHER" (string).',
    fix: 'Write it into gate.yaml, hooks: {env: [OTHER]}, and restart hookgate.',
  })
  expect(variableProblem(hookWith({ A: '$UNSET' }).entry, listed)?.message).toBe(
    'Expected the environment variable UNSET, which "env.A" names, to be set, got nothing.',
  )
  expect(variableProblem(hookWith({ A: '$toString' }).entry, listed)?.code).toBe('entry.env')
  expect(variableProblem(hookWith({ A: '$SLACK_WEBHOOK', B: '$HOME', C: 'x' }).entry, listed)).toBeUndefined()
  expect(Object.keys(envOf(hookWith({ A: '$OTHER', B: '$UNSET' }), {}))).not.toEqual(
    expect.arrayContaining(['A']),
  )
  const judge = createTargets({ http: { env: {}, allowLocal: false }, hasModel: true, listed }).judge
  expect(judge({ kind: 'entry', entry: hookWith({ A: '$OTHER' }).entry })).toMatchObject({
    kind: 'invalid',
    problem: { code: 'entry.env' },
  })
  expect(judge({ kind: 'entry', entry: hookWith({ A: '$SLACK_WEBHOOK' }).entry })).toMatchObject({
    kind: 'entry',
  })
})

test('a $NAME with other text around it is remarked', () => {
  expect(variableRemarks(hookWith({ A: 'Bearer $SLACK_WEBHOOK', B: '^a$' }).entry)).toEqual([
    'A of its "env" is passed on unchanged: a variable is filled in only when the whole value is $NAME.',
  ])
})

test('what chooses a version by a file of the workspace is told not to look there, and rustup where its toolchains are', () => {
  expect(envOf(hookWith({}), {})).toMatchObject({ PYENV_DIR: '/', RUSTUP_TOOLCHAIN: 'stable' })
  expect(Object.keys(envOf(hookWith({}), {}))).not.toContain('RUSTUP_HOME')
  expect(
    createHookEnv({ ...world, path: '/usr/bin:/home/ada/.cargo/bin' })(hookWith({}), {})['RUSTUP_HOME'],
  ).toBe('/home/ada/.rustup')
})

test('a hook of another system gets every listed variable that is set, under its name; one of ours gets none that it does not name', () => {
  const foreign = envOf(hookWith({}, { dialect: { name: 'claude-code', event: 'PreToolUse' } }), {})
  expect(foreign['SLACK_WEBHOOK']).toBe(listed.SLACK_WEBHOOK)
  expect(Object.keys(foreign)).not.toContain('UNSET')
  expect(Object.keys(envOf(hookWith({}), {}))).not.toContain('SLACK_WEBHOOK')
})

test('what a hook prints of a value is taken out of all that it leaves behind, as plain text and inside JSON', () => {
  const value = listed.SLACK_WEBHOOK
  const json = { reason: `cannot reach ${value}` }
  const result = createHiding(listed)({
    exitCode: 1,
    stdout: JSON.stringify(json),
    json,
    stderr: `+ curl ${value}`,
    isTruncated: false,
    durationMs: 1,
    failure: { kind: 'killed', detail: `ended: ${value}` },
  })
  expect(JSON.parse(result.stdout)).toEqual({ reason: 'cannot reach $SLACK_WEBHOOK' })
  expect(result.json).toBeUndefined()
  expect([result.stderr, result.failure?.detail]).toEqual(['+ curl $SLACK_WEBHOOK', 'ended: $SLACK_WEBHOOK'])
})
