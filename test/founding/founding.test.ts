import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Row } from '../../src/model/catalogue.ts'
import { startPlane, until, type Plane } from '../plane.ts'

/**
 * The hooks of the founding documents, as they stand there, before our own agent's real tools. Where a command would
 * do harm if a hook failed, it is only echoed: the hooks look at its text.
 */
const planes: Plane[] = []
afterAll(() => Promise.all(planes.map((plane) => plane.stop())))

/** A running gate whose workspace holds that folder, every hook of it approved, and hooks on. */
const bring = async (folder: string, proposals?: string): Promise<Plane & { rows(): readonly Row[] }> => {
  const plane = await startPlane()
  planes.push(plane)
  await cp(join(import.meta.dirname, '../fixtures/founding', folder), plane.workspace, { recursive: true })
  if (proposals !== undefined) await writeFile(join(plane.workspace, 'config/shell_hooks.yaml'), proposals)
  const rows = await until('the proposals', () => (plane.gate.rows().length > 0 ? plane.gate.rows() : undefined))
  for (const row of rows) {
    if (row.entry === undefined || row.problem !== undefined || row.entry.type === 'http') continue
    expect(plane.gate.gatekeeper.approve(row.entry, 'memory:owner', row.proposed), row.command).toMatchObject({ ok: true })
  }
  plane.gate.gatekeeper.setSwitch(true, 'memory:owner')
  return { ...plane, rows: plane.gate.rows }
}

const saysAll = (...words: readonly string[]) => (answer: string): boolean => words.every((word) => answer.includes(word))
const invalid = (rows: readonly Row[]): readonly string[] => rows.flatMap(({ problem, event }) => (problem === undefined ? [] : [`${event}: ${problem.message}`]))

describe('docker-agent: the one-stop hooks.yaml', async () => {
  const plane = await bring('docker', 'sources:\n  - docker-agent: ./docker-hooks.yaml\n')

  test('every event of it is listed with its origin, and nothing is invalid', () => {
    expect(invalid(plane.rows())).toEqual([])
    expect(new Set(plane.rows().map(({ entry }) => entry?.dialect?.event))).toHaveProperty('size', 19)
    expect(new Set(plane.rows().map(({ entry }) => entry?.origin))).toEqual(new Set(['docker-hooks.yaml']))
  })
  test('a harmless command passes, a destructive one is denied before it runs', async () => {
    await plane.ask('!echo hello', saysAll('hello'))
    await plane.ask('!echo rm -rf /nowhere', saysAll('I did not run bash', 'HOOK BLOCKED'))
    await plane.ask('!echo sudo apt update', saysAll('I did not run bash'))
    // The break between its lines must not break the JSON that the guard echoes to jq.
    await plane.ask('!cd .\necho rm -rf /nowhere', saysAll('I did not run bash', 'HOOK BLOCKED'))
  })
  test('its rewrite of "ls" reaches the tool by our names, and its note reaches the person', async () => {
    await writeFile(join(plane.workspace, 'listed.txt'), 'x')
    await plane.ask('!ls', saysAll('listed.txt'))
    await until('the note', () => plane.texts().find(saysAll('Hook modified command')))
  })
  test('a file is written, since no hook of it looks at files', async () => {
    await plane.ask('write plain.txt hello', saysAll('plain.txt'))
    expect(await plane.read('plain.txt')).toContain('hello')
  })
  test('its builtins and plain contexts reach the agent', async () => {
    await plane.ask('context', saysAll("Today's date: "))
  })
})

describe('docker-agent: the documentation\'s own scripts', async () => {
  const plane = await bring('docker', 'sources:\n  - docker-agent: ./docker-agent.yaml\n')

  test('scripts that it names and that nobody wrote are listed with what to do', () => {
    const missing = plane.rows().filter(({ problem }) => problem !== undefined)
    expect(missing.map(({ command }) => command).toSorted()).toEqual(['./scripts/cleanup.sh', './scripts/notify.sh', './scripts/setup-env.sh', './slow-validation.sh'])
  })
  test('"decision": "allow" allows, exit 2 denies with the reason that its JSON gives', async () => {
    await plane.ask('!echo hello', saysAll('hello'))
    await plane.ask('!echo rm -rf /nowhere', saysAll('I did not run bash', 'Dangerous command blocked by policy'))
  })
  test('a write passes, and the call is logged under its name there', async () => {
    await plane.ask('write plain.txt hello', saysAll('plain.txt'))
    await until('the audit line', async () => ((await plane.read('audit.log').catch(() => '')).includes('| write_file') ? true : undefined))
  })
})

describe('Agent Hooks: a folder of HOOK.md', async () => {
  const plane = await bring('agents', 'sources:\n  - agent-hooks: ./.agents/hooks\n')

  test('every hook of it is listed under its name, with its description', () => {
    expect(invalid(plane.rows())).toEqual([])
    expect(plane.rows().map(({ entry }) => entry?.name ?? '').toSorted()).toEqual(['audit-log', 'auto-format-python', 'block-dangerous-commands', 'block-prod-deploy', 'enforce-test-coverage', 'protect-system-files'])
    expect(plane.rows().every(({ entry }) => (entry?.description ?? '') !== '')).toBe(true)
  })
  test('a destructive command is blocked with what its script says on stderr', async () => {
    await writeFile(join(plane.workspace, 'run-tests.sh'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    await plane.ask('!echo hello', saysAll('hello'))
    await plane.ask('!echo rm -rf /nowhere', saysAll('I did not run bash', 'would destroy the system'))
    await plane.ask('!echo kubectl apply production', saysAll('I did not run bash', 'affects production environment'))
  })
  test('the original is broken: its headline case passes it, here as everywhere', async () => {
    // `\b` after the slash wants a letter behind it, so that "rm -rf /" itself is not found by its own script.
    await plane.ask('!echo rm -rf /', saysAll('rm -rf /'))
  })
  test('a write to system files is denied, another one passes', async () => {
    await plane.ask('write site/var/www/index.html hello', saysAll('I did not run write_file', 'system files are not for agents'))
    await plane.ask('write note.txt hello', saysAll('Wrote', 'note.txt'))
  })
  test('its quality gate sends the agent back, three times at most, and the end is seen to be capped', async () => {
    await writeFile(join(plane.workspace, 'run-tests.sh'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    await plane.ask('say all is well', saysAll('all is well', 'I was asked 3 times', '测试通过前不能完成任务'), 30_000)
    await writeFile(join(plane.workspace, 'run-tests.sh'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    await plane.ask('say all is fine', (answer) => answer.includes('all is fine') && !answer.includes('I was asked'))
  })
})

describe('Copilot: .github/hooks', async () => {
  const plane = await bring('copilot', 'sources:\n  - copilot: ./.github/hooks\n')

  test('every hook of it is listed', () => {
    expect(invalid(plane.rows())).toEqual([])
    expect(plane.rows()).toHaveLength(7)
  })
  test('a command passes or is denied by its own names', async () => {
    await plane.ask('!echo hello', saysAll('hello'))
    await plane.ask('!echo rm -rf /nowhere', saysAll('I did not run bash', 'Dangerous command detected'))
    await plane.ask('!echo mkfs', saysAll('I did not run bash', 'Dangerous system command'))
  })
  test('a write passes; an edit is denied outside src and passes inside', async () => {
    await plane.ask('write notes.txt one', saysAll('Wrote'))
    await plane.ask('edit notes.txt one two', saysAll('I did not run edit_file', 'Can only edit files in src/ or test/ directories'))
    await plane.ask('write src/notes.txt one', saysAll('Wrote'))
    await plane.ask('edit src/notes.txt one two', saysAll('Edited'))
    expect(await plane.read('src/notes.txt')).toBe('two')
  })
  test('what it logs is what its scripts expect: names, results, seconds', async () => {
    await until('the statistics', async () => (/,bash,success$/m.test(await plane.read('tool-stats.csv').catch(() => '')) ? true : undefined))
    expect(await plane.read('session.log')).toMatch(/^Session started from new at \d{13}$/m)
    expect(await plane.read('prompts.log')).toMatch(/20\d\d.*: !echo hello$/m)
  })
})

describe('the founding document\'s own YAML and scripts', async () => {
  const plane = await bring('starchild')

  test('both transports are listed, the HTTP one as POST <url>', async () => {
    expect(invalid(plane.rows())).toEqual([])
    await plane.ask('/hooks', saysAll('./hooks/minimal_block.sh', 'POST https://my-guard.example.com/hook'))
  })
  test('a destructive command is refused in its script\'s words', async () => {
    await plane.ask('!echo hello', saysAll('hello'))
    await plane.ask('!echo rm -rf /nowhere', saysAll('I did not run bash', 'refusing destructive command: echo rm -rf /nowhere'))
    await plane.ask('write note.txt rm -rf is only a word here', saysAll('Wrote'))
  })
})

describe('Claude Code: .claude/settings.json', async () => {
  const plane = await bring('claude', 'sources:\n  - claude-code: ./.claude/settings.json\n')

  test('commands and writes pass or are denied under its names', async () => {
    expect(invalid(plane.rows())).toEqual([])
    await writeFile(join(plane.workspace, 'finished'), '')
    await plane.ask('!echo hello', saysAll('hello'))
    await plane.ask('!echo git push --force', saysAll('I did not run bash', 'no force pushes'))
    await plane.ask('write note.txt hello', saysAll('Wrote'))
    await plane.ask('write prod.env KEY=1', saysAll('I did not run write_file', 'holds secrets'))
  })
  test('it replaces a result before the agent sees it', async () => {
    await plane.ask('!echo token', saysAll('[cut]'))
  })
})
