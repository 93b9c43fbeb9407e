import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { installPackages } from '../packages.ts'
import { geminiProgram } from './gemini.ts'

// No hook with a time limit waits for this.
await installPackages('test/clients')

const root = resolve(import.meta.dirname, '../..')

test('a real client lists the skill where an installer of skills puts it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'hookgate-skill-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const name = 'agent-hooks'
  cpSync(join(root, 'config/context/skills', name), join(home, '.agents/skills', name), { recursive: true })
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [geminiProgram, 'skills', 'list'], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, HTTPS_PROXY: 'http://127.0.0.1:9' },
  })
  expect(`${stdout}${stderr}`).toMatch(/^agent-hooks \[Enabled\]\n {2}Description: Prepare hooks\. /m)
})
