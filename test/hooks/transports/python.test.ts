import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { envFor, stdinFor } from '../../../src/dialects/dialects.ts'
import { startHookHost, type HookHost } from '../../../src/hooks/host/host.ts'
import { createCommandTransport, createHookEnv } from '../../../src/hooks/transports/command.ts'
import { preparePython } from '../../../src/hooks/transports/python.ts'
import { syntheticPayload } from '../../../src/model/payload.ts'
import { armed } from '../armed.ts'

let folder: string
let workspace: string
let host: HookHost
let ask: (argv: readonly string[]) => Promise<string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-python-'))
  workspace = join(folder, 'workspace')
  mkdirSync(workspace)
  // What an agent can put there.
  writeFileSync(join(workspace, 'json.py'), 'print("the agent answers")\n')
  host = await startHookHost({ log: () => undefined })
  const envOf = createHookEnv({ path: '/usr/local/bin:/usr/bin:/bin', lang: 'C.UTF-8', user: 'hooks', tmpdir: tmpdir(), home: '/nonexistent', python: preparePython(join(folder, 'home')) })
  const transport = createCommandTransport({ host, speech: { stdin: stdinFor, env: envFor }, envOf })
  ask = async (argv) => {
    const hook = armed('a', { event: 'pre_tool_call' }, { argv, cwd: workspace })
    const { stdout, stderr } = await transport.ask(hook, syntheticPayload('pre_tool_call', workspace, new Date(0)), { timeoutMs: 10_000, chain: [] })
    return stdout.trim() || stderr
  }
})
afterAll(async () => {
  await host.stop()
  rmSync(folder, { recursive: true, force: true })
})

const program = 'import json, sys; print(json.dumps({"seen": json.load(sys.stdin)["tool_name"]}))'
const write = (path: string, content: string): string => {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, 0o755)
  return path
}

test.each([
  ['text', () => ['/usr/bin/env', 'python3', '-c', program]],
  ['text on stdin, inside a shell', () => ['/bin/sh', '-c', `payload=$(cat); python3 - "$payload" <<'PY'\nimport json, sys\nprint(json.dumps({"seen": json.loads(sys.argv[1])["tool_name"]}))\nPY`]],
  ['a module', () => ['/bin/sh', '-c', 'cat > /dev/null; python3 -m json.tool --help > /dev/null && echo \'{"seen": "bash"}\'']],
  ['a sealed script', () => [write(join(folder, 'home/seal/f/guard.py'), `#!/usr/bin/env python3\n${program}\n`)]],
  ['a script that lies in the workspace', () => ['/usr/bin/env', 'python3', write(join(workspace, 'hooks/guard.py'), `${program}\n`)]],
])('no file of the workspace takes the place of a module: %s', async (_, argv) => {
  expect(JSON.parse(await ask(argv()))).toEqual({ seen: 'bash' })
})

test('a sealed script still finds what was sealed beside it', async () => {
  write(join(folder, 'home/seal/g/rules.py'), 'word = "beside"\n')
  expect(await ask([write(join(folder, 'home/seal/g/guard.py'), '#!/usr/bin/env python3\nimport rules\nprint(rules.word)\n')])).toBe('beside')
})

test('exit codes and last words are what they were: only the way out is shorter', async () => {
  const code = 'import atexit, sys; atexit.register(lambda: print("last", flush=True)); print("first"); sys.exit(3)'
  expect(await ask(['/bin/sh', '-c', `python3 -c '${code}'; echo $?`])).toBe('first\nlast\n3')
})
