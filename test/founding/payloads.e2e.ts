import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, describe, expect, test } from 'vitest'
import { cli } from '../e2e/program.ts'
import { needs } from '../needs.ts'
import { snippetsOf } from './snippets.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookgate-payloads-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Runs a script of a document on a payload of the same document, as its page says to try it at a terminal.
 */
const tryOut = async (
  document: string,
  dialect: string,
  event: string,
  script: string,
  payload: string,
): Promise<unknown> => {
  const snippet = snippetsOf(document)
  writeFileSync(join(folder, script), snippet(script), { mode: 0o755 })
  const words = ['test', event, '--dialect', dialect, '--command', `./${script}`, '--payload', '-']
  const env = { HOME: folder, HOOKGATE_HOME: join(folder, 'home'), HOOKGATE_WORKSPACE: folder }
  const { stdout } = await execa(process.execPath, [cli, ...words], {
    cwd: folder,
    env,
    input: snippet(payload),
    // A fault ends with exit code 1, and its line is printed all the same.
    reject: false,
  })
  return JSON.parse(stdout)
}

describe('the payloads of the documents, given to "hookgate test" as they stand', needs('bash', 'jq'), () => {
  test.each([
    ['002', 'agent-hooks', 'before_tool', 'run.sh', 'tool.json', { decision: 'block' }],
    [
      '002',
      'agent-hooks',
      'before_stop',
      'run.sh',
      'before_stop.json',
      { sent: { event_type: 'before_stop', step_count: 5 } },
    ],
    ['003', 'docker-agent', 'pre_tool_use', 'validate-command.sh', 'input.json', { decision: 'block' }],
    ['004', 'copilot', 'preToolUse', 'conditional.sh', 'pre-tool.json', { decision: 'block' }],
    ['004', 'copilot', 'preToolUse', 'security-check.sh', 'pre-tool.json', { decision: 'allow' }],
    ['004', 'copilot', 'sessionStart', 'session-start.sh', 'session-start.json', { sent: { source: 'new' } }],
    ['004', 'copilot', 'sessionEnd', 'log-prompt.sh', 'session-end.json', { sent: { reason: 'complete' } }],
    [
      '004',
      'copilot',
      'userPromptSubmitted',
      'log-prompt.sh',
      'prompt.json',
      { sent: { prompt: 'Fix the authentication bug' } },
    ],
    [
      '004',
      'copilot',
      'postToolUse',
      'cost.sh',
      'post-tool.json',
      { sent: { toolResult: { resultType: 'success' } } },
    ],
    [
      '004',
      'copilot',
      'errorOccurred',
      'log-error.sh',
      'error.json',
      { sent: { error: { name: 'TimeoutError' } } },
    ],
  ] as const)('%s: %s %s, %s on %s', async (document, dialect, event, script, payload, expected) => {
    expect(await tryOut(document, dialect, event, script, payload)).toMatchObject(expected)
  })
})
