import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { envFor, eventIn, stdinFor } from '../../../src/dialects/dialects.ts'
import type { HookHost } from '../../../src/handlers/host/host.ts'
import { createHookEnv, type BaseEnv } from '../../../src/handlers/world/hook-env.ts'
import { createCommandTransport } from '../../../src/handlers/transports/command.ts'
import { FOREIGN_DIALECTS } from '../../../src/core/model/hooks/dialect.ts'
import type { ArmedHook } from '../../../src/core/model/hooks/entry.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'
import { leaveHost, takeHost } from '../../hook-host.ts'

let host: HookHost
beforeAll(async () => {
  host = await takeHost()
})
afterAll(() => leaveHost(host))

const baseEnv: BaseEnv = {
  path: '/usr/bin:/bin',
  lang: 'C.UTF-8',
  tz: 'Asia/Tokyo',
  user: 'hooks',
  tmpdir: tmpdir(),
  home: '/nonexistent',
}

const asking = (env: BaseEnv = baseEnv) =>
  createCommandTransport({ host, speech: { stdin: stdinFor, env: envFor }, envOf: createHookEnv(env) }).ask

const payload = syntheticPayload('pre_tool_call', '/work', new Date(0))
const hookOf = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): ArmedHook => ({
  fingerprint: 'f',
  entry: {
    event: 'pre_tool_call',
    type: 'command',
    command: argv.join(' '),
    args: [],
    timeoutMs: 20_000,
    onError: 'warn',
    priority: 100,
    isAsync: false,
    env,
    files: [],
    origin: 'config/shell_hooks.yaml',
  },
  argv,
  cwd: '/',
  workspace: '/workspace',
  hookDir: '/workspace/examples',
  checkSeal: () => undefined,
})

test('a hook reads the payload as JSON on stdin, in its working folder', async () => {
  const ask = asking()
  const { stdout } = await ask(hookOf(['/bin/sh', '-c', 'cat; pwd >&2']), payload, {
    timeoutMs: 5000,
    chain: [],
  })
  expect(JSON.parse(stdout)).toEqual(payload)
})

test('the payload is a whole line, which a shell reads with read', async () => {
  const { stdout, exitCode } = await asking()(
    hookOf(['/bin/sh', '-c', 'read -r line || exit 3; echo "$line"; cat']),
    payload,
    { timeoutMs: 5000, chain: [] },
  )
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^[^\n]+\n$/)
  expect(JSON.parse(stdout)).toEqual(payload)
})

test.each([undefined, ...FOREIGN_DIALECTS])(
  'a command in the words of %s gets one whole line',
  async (name) => {
    const native = name === undefined ? undefined : eventIn(name, 'pre_tool_call')?.native
    const dialect = name === undefined || native === undefined ? {} : { dialect: { name, event: native } }
    const said = (type: 'command' | 'http', command: string): string | Promise<string> => {
      const hook = hookOf([])
      return stdinFor(
        { ...hook, entry: { ...hook.entry, ...dialect, type } },
        { ...payload, tool_name: 'bash', tool_input: { command } },
      )
    }
    // A large payload is written in turns.
    for (const command of ['ls', 'a\nb', '\n'.repeat(300_000)]) {
      expect(await said('command', command)).toMatch(/^[^\n]+\n$/)
      expect(await said('http', command)).not.toContain('\n')
    }
  },
)

test("a hook sees the fixed environment, what names its event, and its entry's own, and nothing else", async () => {
  const ask = asking()
  const { stdout } = await ask(hookOf(['/usr/bin/env'], { RULES: 'strict', TZ: 'UTC' }), payload, {
    timeoutMs: 5000,
    chain: ['e1', 'e2'],
  })
  // What git is told is looked at with the hook host.
  const lines = stdout
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('GIT_'))
  expect(Object.fromEntries(lines.map((line) => line.split('=')))).toEqual({
    // What decides by the folder that git is called in comes first.
    PATH: expect.stringMatching(/^\/\S+\/bin:\/usr\/bin:\/bin$/),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    USER: 'hooks',
    LOGNAME: 'hooks',
    TMPDIR: tmpdir(),
    HOME: '/nonexistent',
    // A file of the workspace does not choose which of the person's programs run.
    PYENV_DIR: '/',
    RBENV_DIR: '/',
    NODENV_DIR: '/',
    GOENV_DIR: '/',
    RUSTUP_TOOLCHAIN: 'stable',
    PYTHONNOUSERSITE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    HOOKGATE_HOOK_DIR: '/workspace/examples',
    HOOKGATE_EVENT: 'pre_tool_call',
    HOOKGATE_CHAIN: 'e1,e2',
    // The hook host's mark, by which it finds what it started.
    HOOKGATE_RUN: expect.any(String),
    RULES: 'strict',
  })
})

test('no time zone is set when none is known', async () => {
  const { path, lang, user, tmpdir: folder, home } = baseEnv
  const ask = asking({ path, lang, user, tmpdir: folder, home })
  const { stdout } = await ask(hookOf(['/usr/bin/env']), payload, { timeoutMs: 5000, chain: [] })
  expect(stdout).not.toMatch(/^TZ=/m)
})

test('time bound and signal are handed on', async () => {
  const ask = asking()
  const result = await ask(hookOf(['/bin/sleep', '60']), payload, {
    timeoutMs: 300,
    chain: [],
    signal: AbortSignal.timeout(10_000),
  })
  expect(result.failure?.kind).toBe('timeout')
  const gone = await ask(hookOf(['/bin/sleep', '60']), payload, {
    timeoutMs: 5000,
    chain: [],
    signal: AbortSignal.timeout(300),
  })
  expect(gone.failure?.kind).toBe('killed')
})

test('what an agent made a guard print does not end its question: a guard is heard to its end', async () => {
  const guard = ['/bin/sh', '-c', 'echo \'{"async": true}\'; sleep 0.2; exit 2']
  const { exitCode } = await asking()(hookOf(guard), payload, { timeoutMs: 5000, chain: [] })
  expect(exitCode).toBe(2)
  const watcher = { ...hookOf(guard), entry: { ...hookOf(guard).entry, event: 'post_llm_call' } } as const
  expect((await asking()(watcher, payload, { timeoutMs: 5000, chain: [] })).exitCode).toBe(0)
})
