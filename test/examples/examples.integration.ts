import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lookInside } from '../../src/proposals/program/inside.ts'
import type { EventName } from '../../src/core/model/events/event.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'
import { ask, eventsOf, examplePath, makeWorkspace, runProgram, type Workspace } from './run-example.ts'

/** What a hook imports is no hook. */
const imported = ['shell_reader.py']
const files = readdirSync(examplePath('.'))
  .filter((file) => !imported.includes(file))
  .toSorted()

const python = files.filter((file) => !file.endsWith('.mjs'))
const canRun = ['python3', 'sh'].every(
  (program) => spawnSync(program, ['-c', ''], { stdio: 'ignore' }).error === undefined,
)

it('python3 and sh are here wherever the examples have to be shown to work', () => {
  expect(canRun || process.env['CI'] !== 'true').toBe(true)
})

it.each(files)('%s is sealed whole: nothing in it reads like a file that lies elsewhere', (file) => {
  const inside = lookInside({ content: readFileSync(examplePath(file)) }, examplePath(file), '/workspace')
  const { code, isClimbing } = inside
  const runs = code.runs.filter(({ candidates }) => !candidates.every((name) => name.startsWith('/dev/fd/')))
  expect({ ...code, runs }).toMatchObject({ parts: [], runs: [], open: [] })
  expect(isClimbing, 'nothing of it is remarked on its card').toBe(false)
})

describe.runIf(canRun)('the examples', () => {
  let workspace: Workspace
  beforeEach(() => {
    workspace = makeWorkspace()
  })
  afterEach(() => workspace.remove())

  it.each(files)('%s passes its own self-test', async (file) => {
    const { exitCode, stdout } = await runProgram(file, '', workspace.folder, {}, ['--self-test'])
    expect(stdout).toMatch(/^\d+ passed, 0 failed/)
    expect(exitCode).toBe(0)
  })

  it('each self-test can fail', async () => {
    // The first expectation of each turned round, in a copy.
    const turns: Readonly<Record<string, readonly [string, string]>> = {
      'ask_before_deleting.mjs': ["'rm note.txt', undefined", "'rm note.txt', 'DROP'"],
      'audit_tools.sh': ['("bash", False, 6)', '("bash", True, 6)'],
      'block_destructive.sh': ['\nrm -rf node_modules |', '\nrm -rf / |'],
      'block_secrets.py': ['("seed phrase", phrase, True)', '("seed phrase", phrase, False)'],
      'check_publish.sh': ['("Published the site.", [], True)', '("Published the site.", [], False)'],
      'inject_website_reminder.sh': ['(b"first\\nsecond", "first")', '(b"first\\nsecond", "second")'],
      'llm_judge.py': [`'{"decision": "allow"}', {}`, `'{"decision": "allow"}', block`],
    }
    for (const file of imported) copyFileSync(examplePath(file), join(workspace.folder, file))
    for (const file of files) {
      const [from, to] = turns[file] ?? ['', '']
      const source = readFileSync(examplePath(file), 'utf8')
      expect(source.split(from).length, file).toBeGreaterThan(1)
      const copy = join(workspace.folder, file)
      writeFileSync(copy, source.replace(from, to), { mode: 0o755 })
      const { exitCode, stdout } = await runProgram(copy, '', workspace.folder, {}, ['--self-test'])
      expect([file, exitCode, /^\d+ passed, 1 failed/.test(stdout)]).toEqual([file, 1, true])
    }
  })

  it('a module planted in the workspace answers for no guard', async () => {
    for (const name of [
      'json',
      're',
      'os',
      'stat',
      'shlex',
      'unicodedata',
      'fcntl',
      'hashlib',
      'base64',
      'shell_reader',
    ]) {
      writeFileSync(join(workspace.folder, `${name}.py`), 'import sys\nprint("{}")\nsys.exit(0)\n')
    }
    const hits: readonly (readonly [string, EventName, Parameters<typeof ask>[2]])[] = [
      ['block_destructive.sh', 'pre_tool_call', { tool_input: { command: 'rm -rf /' } }],
      ['block_secrets.py', 'on_outbound_message', { notification: ['gh', 'p_', 'a1B2'.repeat(9)].join('') }],
      [
        'check_publish.sh',
        'on_completion_claim',
        { summary: 'Published the site.', tool_names: [], tools: [] },
      ],
    ]
    for (const [file, event, fields] of hits)
      expect(await ask(file, event, fields, workspace.folder), file).toMatchObject({ decision: 'block' })
    expect(hits.length + 3, 'the rest are helpers').toBe(python.length)
  })

  it('none opens its streams by name: they can be sockets', () => {
    for (const file of [...files, ...imported])
      expect(readFileSync(examplePath(file), 'utf8'), file).not.toMatch(
        /\/dev\/(?:std(?:in|out|err)|fd\/[012])\b/,
      )
  })

  it('what is not a payload is a fault of every guard, never an answer, and is not quoted', async () => {
    for (const file of files.filter((name) => name !== 'llm_judge.py')) {
      for (const stdin of ['', 'swordfish', '[1]', '{"event":']) {
        const { exitCode, stdout, stderr } = await runProgram(file, stdin, workspace.folder)
        expect([file, stdin, exitCode, stdout]).toEqual([file, stdin, 1, ''])
        expect(stderr).not.toMatch(/swordfish|Traceback/)
      }
    }
  })

  it('each answers the made-up payload of each event that it names, and fails at others with their names', async () => {
    for (const file of files) {
      const served = eventsOf(file)
      const env = { LLM_URL: 'http://127.0.0.1:9/', LLM_MODEL: 'small' }
      for (const event of served) {
        // The made-up claim is one of publishing.
        const isRefused = file === 'check_publish.sh' && event === 'on_completion_claim'
        const answer = await ask(file, event, {}, workspace.folder, env)
        expect(answer, `${file} ${event}`).toEqual(
          isRefused ? expect.objectContaining({ decision: 'block' }) : {},
        )
      }
      for (const event of ['on_session_end', 'on_agent_switch'] as const) {
        const payload = syntheticPayload(event, workspace.folder, new Date(0))
        const ran = await runProgram(file, JSON.stringify(payload), workspace.folder, env)
        expect([file, ran.exitCode, ran.stdout]).toEqual([file, 1, ''])
        expect(ran.stderr).toContain(`Expected one of the events ${served.join(', ')}, got ${event}.`)
      }
    }
  })

  describe('check_publish.sh', () => {
    const site = 'https://my-site.example/'
    const claim = (
      text: string,
      tools: readonly { name: string; is_error: boolean; urls: readonly string[] }[],
      env = {},
    ) =>
      ask(
        'check_publish.sh',
        'on_completion_claim',
        {
          goal: 'publish the site',
          summary: text,
          response: text,
          tool_names: tools.map(({ name }) => name),
          tools: tools.map((tool) => ({ ...tool, exit_code: null })),
        },
        workspace.folder,
        env,
      )

    it('a claim to have published without a publish tool that succeeded is refused, and told what to do', async () => {
      expect(await claim('All done: I published it.', [])).toMatchObject({
        decision: 'block',
        reason: expect.stringContaining('Publish it with the tool'),
      })
      expect(
        await claim('Published the site.', [{ name: 'publish', is_error: true, urls: [] }]),
      ).toMatchObject({ decision: 'block' })
      expect(
        await claim('Published the site.', [{ name: 'publish', is_error: false, urls: [site] }]),
      ).toEqual({})
    })

    it('an address that no tool returned is refused by name', async () => {
      const tools = [{ name: 'publish', is_error: false, urls: [site] }]
      expect(await claim('The site is live at https://other.example/x.', tools)).toMatchObject({
        decision: 'block',
        reason: expect.stringContaining('https://other.example/x,'),
      })
      expect(await claim('The site is live at https://my-site.example.', tools)).toEqual({})
    })

    it('of a client that reports names and a summary alone, a true claim passes and a false one is refused', async () => {
      const named = (tool_names: readonly string[]) =>
        ask(
          'check_publish.sh',
          'on_completion_claim',
          {
            goal: 'publish the site',
            summary: `Published the site at ${site}`,
            response: '',
            tool_names,
            tools: [],
          },
          workspace.folder,
        )
      expect(await named(['bash', 'publish_site'])).toEqual({})
      expect(await named(['bash'])).toMatchObject({ decision: 'block' })
    })

    it('the owner says which tools publish', async () => {
      const tools = [{ name: 'bash', is_error: false, urls: [site] }]
      expect(await claim(`Deployed to ${site}`, tools)).toMatchObject({ decision: 'block' })
      expect(await claim(`Deployed to ${site}`, tools, { PUBLISH_TOOLS: '^bash$' })).toEqual({})
    })

    it('other claims pass', async () => {
      for (const text of ['Fixed the parser.', 'The site is not published yet.', 'See https://docs.example.'])
        expect(await claim(text, []), text).toEqual({})
    })
  })

  it('inject_website_reminder.sh reminds of the address, and of nothing where there is none', async () => {
    expect(await ask('inject_website_reminder.sh', 'pre_llm_call', {}, workspace.folder)).toEqual({})
    writeFileSync(
      join(workspace.folder, '.published'),
      'https://my-site.example/"quoted"\\ \u202E\nsecond line\n',
    )
    expect(await ask('inject_website_reminder.sh', 'pre_llm_call', {}, workspace.folder)).toEqual({
      context: expect.stringMatching(
        /^This workspace has a published website: https:\/\/my-site\.example\/"quoted"\\\n/,
      ),
    })
    const inner = join(workspace.folder, 'inner')
    mkdirSync(inner)
    symlinkSync(join(workspace.folder, '.published'), join(inner, '.published'))
    expect(await ask('inject_website_reminder.sh', 'pre_llm_call', { cwd: inner }, workspace.folder)).toEqual(
      {},
    )
  })

  it('audit_tools.sh keeps one whole line for each of many parallel calls, and no contents', async () => {
    const calls = Array.from({ length: 12 }, (_, index) => index)
    await Promise.all(
      calls.map((index) =>
        ask(
          'audit_tools.sh',
          'post_tool_call',
          { tool_name: `tool-${index}`, tool_result: 'x'.repeat(index), tool_error: index === 3 },
          workspace.folder,
        ),
      ),
    )
    const lines = readFileSync(join(workspace.folder, '.hookgate-audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(lines).toHaveLength(12)
    for (const index of calls) {
      expect(lines).toContainEqual({
        time: '2026-01-02T03:04:05.000Z',
        event_id: 'synthetic',
        tool: `tool-${index}`,
        is_error: index === 3,
        result_chars: index,
      })
    }
    await ask('audit_tools.sh', 'post_tool_call', {}, workspace.folder, { AUDIT_FILE: 'other.jsonl' })
    expect(readFileSync(join(workspace.folder, 'other.jsonl'), 'utf8')).not.toContain('total 0')
  })

  it('audit_tools.sh writes through no link, and says that the call was not recorded', async () => {
    writeFileSync(join(workspace.folder, 'precious'), '')
    symlinkSync('precious', join(workspace.folder, '.hookgate-audit.jsonl'))
    const { exitCode, stderr } = await runProgram(
      'audit_tools.sh',
      JSON.stringify(syntheticPayload('post_tool_call', workspace.folder, new Date(0))),
      workspace.folder,
    )
    expect([exitCode, readFileSync(join(workspace.folder, 'precious'), 'utf8')]).toEqual([1, ''])
    expect(stderr).toContain('was not recorded')
  })

  it('ask_before_deleting.mjs asks before what may delete for good, and lets the rest pass', async () => {
    const step = (command: string) =>
      ask('ask_before_deleting.mjs', 'pre_tool_call', { tool_input: { command } }, workspace.folder)
    expect(await step('cd old && rm -rf letters')).toEqual({
      decision: 'ask',
      reason: 'This may delete for good: rm -r or -f.',
    })
    expect(await step('rm letter.txt')).toEqual({})
  })
})
