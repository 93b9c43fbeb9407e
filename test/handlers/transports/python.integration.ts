import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { envFor, stdinFor } from '../../../src/dialects/dialects.ts'
import type { HookHost } from '../../../src/handlers/host/host.ts'
import { createHookEnv } from '../../../src/handlers/world/hook-env.ts'
import { createCommandTransport } from '../../../src/handlers/transports/command.ts'
import { preparePython } from '../../../src/handlers/transports/python.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'
import { armed } from '../armed.ts'
import { needs } from '../../needs.ts'
import { leaveHost, takeHost } from '../../hook-host.ts'

const path = '/usr/local/bin:/usr/bin:/bin'

let folder: string
let workspace: string
let host: HookHost
let ask: (argv: readonly string[], isWarm?: boolean) => Promise<string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-python-'))
  workspace = join(folder, 'workspace')
  mkdirSync(workspace)
  // What an agent can put there.
  writeFileSync(join(workspace, 'json.py'), 'print("the agent answers")\n')
  host = await takeHost()
  const envOf = createHookEnv({
    path,
    lang: 'C.UTF-8',
    user: 'hooks',
    tmpdir: tmpdir(),
    home: '/nonexistent',
    python: preparePython(join(folder, 'home')),
  })
  const transport = createCommandTransport({ host, speech: { stdin: stdinFor, env: envFor }, envOf })
  ask = async (argv, isWarm = false) => {
    const hook = armed(
      'a',
      { event: 'pre_tool_call', ...(isWarm ? { isWarm } : {}) },
      { argv, cwd: workspace },
    )
    const { stdout, stderr } = await transport.ask(
      hook,
      syntheticPayload('pre_tool_call', workspace, new Date(0)),
      { timeoutMs: 10_000, chain: [] },
    )
    return stdout.trim() || stderr
  }
})
afterAll(async () => {
  await leaveHost(host)
  rmSync(folder, { recursive: true, force: true })
})

const program = 'import json, sys; print(json.dumps({"seen": json.load(sys.stdin)["tool_name"]}))'
const write = (path: string, content: string): string => {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, 0o755)
  return path
}

describe('Python, asked as a hook', needs('python3'), () => {
  test.each([
    ['text', () => ['/usr/bin/env', 'python3', '-c', program]],
    [
      'text on stdin, inside a shell',
      () => [
        '/bin/sh',
        '-c',
        `payload=$(cat); python3 - "$payload" <<'PY'\nimport json, sys\nprint(json.dumps({"seen": json.loads(sys.argv[1])["tool_name"]}))\nPY`,
      ],
    ],
    [
      'a module',
      () => [
        '/bin/sh',
        '-c',
        'cat > /dev/null; python3 -m json.tool --help > /dev/null && echo \'{"seen": "bash"}\'',
      ],
    ],
    [
      'a sealed script',
      () => [write(join(folder, 'home/seal/f/guard.py'), `#!/usr/bin/env python3\n${program}\n`)],
    ],
    [
      'a script that lies in the workspace',
      () => ['/usr/bin/env', 'python3', write(join(workspace, 'hooks/guard.py'), `${program}\n`)],
    ],
  ])('no file of the workspace takes the place of a module: %s', async (_, argv) => {
    expect(JSON.parse(await ask(argv()))).toEqual({ seen: 'bash' })
  })

  test('a sealed script still finds what was sealed beside it', async () => {
    write(join(folder, 'home/seal/g/rules.py'), 'word = "beside"\n')
    expect(
      await ask([
        write(
          join(folder, 'home/seal/g/guard.py'),
          '#!/usr/bin/env python3\nimport rules\nprint(rules.word)\n',
        ),
      ]),
    ).toBe('beside')
  })

  test('exit codes and last words are what they were: only the way out is shorter', async () => {
    const code =
      'import atexit, sys; atexit.register(lambda: print("last", flush=True)); print("first"); sys.exit(3)'
    expect(await ask(['/bin/sh', '-c', `python3 -c '${code}'; echo $?`])).toBe('first\nlast\n3')
  })

  test.each([true, false])(
    'only a hook that is warm is run by the few lines of the gate: %s',
    async (isWarm) => {
      const asked = await ask(
        [
          write(
            join(folder, 'home/seal/w/guard.py'),
            '#!/usr/bin/env python3\nimport inspect\nprint(any("sitecustomize" in frame.filename for frame in inspect.stack()))\n',
          ),
        ],
        isWarm,
      )
      expect(asked).toBe(isWarm ? 'True' : 'False')
    },
  )

  describe("a program that waited is run by the gate's own few lines, and ends as Python ends it", () => {
    test.each([
      ['plain', 'print("said")'],
      ['its exit code', 'import sys; print("no"); sys.exit(2)'],
      ['no exit code', 'import sys; sys.exit()'],
      ['a true one, a large one', 'import sys; sys.exit(258)'],
      ['words for an exit code', 'import sys; sys.exit("not today")'],
      ['a fault, with its traceback', 'def f():\n    return {}["missing"]\nf()'],
      [
        'a fault within a fault',
        'try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError("x") from e',
      ],
      ['no Python at all', 'def (:\n'],
      ['another encoding', '# -*- coding: latin-1 -*-\nprint("caf\\xe9", __name__, __file__)'],
      [
        'exit handlers, in order',
        'import atexit\natexit.register(print, "second")\natexit.register(print, "first")',
      ],
      ['an exit handler that fails', 'import atexit\natexit.register(lambda: 1 / 0)\nprint("said")'],
      [
        'a thread that is still at work',
        'import threading, time\ndef work():\n    time.sleep(0.1)\n    print("worked", flush=True)\nthreading.Thread(target=work).start()\nprint("main", flush=True)',
      ],
      [
        'a thread that imports what is being imported',
        'import threading\nt = threading.Thread(target=lambda: __import__("site") and __import__("sitecustomize") and print("imported"))\nt.start()\nt.join()',
      ],
      [
        'a pool',
        'from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor()\npool.submit(print, "pooled", flush=True)',
      ],
      ['a file that was never closed', 'log = open("left.txt", "w")\nlog.write("kept")'],
      [
        'a file that a module holds',
        'import json\njson.log = open("left.txt", "wb")\njson.log.write(b"kept")',
      ],
      ['a temporary file', 'import tempfile\ntmp = tempfile.NamedTemporaryFile(dir=".")'],
      ['a temporary folder', 'import tempfile\ntmp = tempfile.TemporaryDirectory(dir=".")'],
      ['a last word of an object', 'class A:\n    def __del__(self): print("gone")\na = A()'],
      ['a closed stdout', 'import sys\nprint("said")\nsys.stdout.close()'],
      [
        'its variables',
        'import os\nprint(sorted(name for name in os.environ if name.startswith("HOOKGATE")))',
      ],
      [
        'a program below it',
        'import subprocess, sys\nprint(subprocess.run([sys.executable, "-c", "import os; print(os.environ.get(\'HOOKGATE_WARM\'))"], capture_output=True, text=True).stdout)',
      ],
      [
        'processes below it',
        'import multiprocessing\ndef double(x): return 2 * x\nif __name__ == "__main__":\n    with multiprocessing.get_context("spawn").Pool(1) as pool: print(pool.map(double, [1, 2]))',
      ],
      [
        'logging',
        'import logging\nlogging.basicConfig(filename="left.txt", format="%(message)s")\nlogging.warning("kept")',
      ],
      [
        'a copy of it that ends first',
        'import os\nif os.fork() == 0: raise SystemExit(7)\nos.wait()\nprint("said")',
      ],
      [
        'a program of it that tells another end',
        'import os\nos.system("{ echo $PPID 0 >&3; } 2> /dev/null")\nraise SystemExit(2)',
      ],
      ['its own way out', 'import os\nos._exit(2)'],
      ['a signal', 'import os, signal\nos.kill(os.getpid(), signal.SIGTERM)'],
      ['exiting while it exits', 'import atexit, sys\natexit.register(sys.exit, 0)\nsys.exit(2)'],
    ])('%s', async (_, text) => {
      const program = write(join(folder, 'warm/hook.py'), `${text}\n`)
      // Written once: a Python that starts meanwhile could read half of it.
      const modules = preparePython(join(folder, 'home'))
      const run = async (warm: Record<string, string>) => {
        const cwd = mkdtempSync(join(folder, 'run-'))
        const env = { PATH: path, LANG: 'C.UTF-8', PYTHONSAFEPATH: '1', PYTHONPATH: modules, ...warm }
        const { exitCode, signal, stdout, stderr, stdio } = await execa(
          '/usr/bin/env',
          ['python3', program],
          {
            cwd,
            env,
            extendEnv: false,
            stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
            detached: true,
            reject: false,
            stripFinalNewline: false,
            timeout: 20_000,
          },
        )
        const left = readdirSync(cwd).map((name) => [name, readFileSync(join(cwd, name), 'utf8')])
        // An object's address differs from run to run; what fails in an exit handler was called by one line
        // more.
        const same = stderr
          .replaceAll(/0x[0-9a-f]+/g, '0x')
          .replace(/(handler|callback.*\n)Traceback .*\n.*in leave\n.*\n(?=SystemExit)/, '$1')
        return { how: { exitCode, signal, stdout, stderr: same, left }, told: stdio[3] }
      }
      const [warm, cold] = await Promise.all([run({ HOOKGATE_WARM: '1' }), run({})])
      expect(warm.how).toEqual(cold.how)
      const isOwnWay = /os\._exit|SIGTERM/.test(text)
      expect(warm.told).toMatch(isOwnWay ? /^\d+$/ : new RegExp(`^(\\d+)\\1 ${warm.how.exitCode}$`))
      if (!text.includes('>&3')) expect(cold.told).toBe('')
    })
  })
})
