import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { needs } from '../needs.ts'
import { startPlane, until, type Plane } from '../plane.ts'

const before = process.env['PATH']
let mine = ''
let evil = ''
let plane: Plane | undefined
beforeEach(() => {
  mine = fs.realpathSync(fs.mkdtempSync(path.join(os.homedir(), '.hookgate-tools-')))
  evil = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-evil-')))
})
afterEach(async () => {
  process.env['PATH'] = before
  await plane?.stop()
  for (const folder of [mine, evil]) fs.rmSync(folder, { recursive: true, force: true })
})

const program = (folder: string, name: string, says: string): void => {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, name), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 })
}
const script = `#!/bin/sh
cat > /dev/null
{ hgt-mine; hgt-both; hgt-evil; echo "$HOME"; } >> ~/.claude/log.txt 2>> ~/errors.txt
ls -A ~ > /tmp/agent-home.log
exit 0
`

test(
  "in a sandbox a hook runs the person's own programs, and none that the agent has put where PATH leads",
  needs('Linux', 'unshare', 'setpriv'),
  async () => {
    const tools = path.join(mine, 'bin')
    program(tools, 'hgt-mine', 'mine')
    program(tools, 'hgt-both', 'mine')
    // What the agent writes: a folder of PATH behind a link, which comes first.
    for (const name of ['hgt-evil', 'hgt-both', 'cat']) program(evil, name, 'evil')
    fs.symlinkSync(evil, path.join(mine, 'first'))
    process.env['PATH'] = `${path.join(mine, 'first')}:${tools}:${before ?? ''}`
    plane = await startPlane(
      'hooks:\n  - {event: pre_tool_call, command: ./tell.sh}\n',
      { 'tell.sh': script },
      {},
      'sandbox',
    )
    const { gate, home, workspace } = plane
    await plane.ask('/hooks approve pre_tool_call ./tell.sh', (text) => text.includes('Approved'))
    await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
    await gate.dispatcher.fire({
      agentId: 'main',
      event: 'pre_tool_call',
      sessionId: 's',
      cwd: workspace,
      fields: { tool_name: 'bash', tool_input: {} },
    })
    const own = path.join(home, 'hooks', 'home')
    const log = await until(
      'what the hook wrote',
      () =>
        fs.existsSync(path.join(own, '.claude/log.txt')) &&
        fs.readFileSync(path.join(own, '.claude/log.txt'), 'utf8'),
    )
    expect(log).toBe(`mine\nmine\n${own}\n`)
    expect(fs.readFileSync(path.join(own, 'errors.txt'), 'utf8')).toContain('hgt-evil')
    expect(fs.readFileSync(path.join(home, 'hooks', 'tmp', 'agent-home.log'), 'utf8')).toContain('.claude')
    // The agent, by a shell of its own, finds neither.
    const seen = await plane.ask(
      `!ls ${own} ${path.join(home, 'hooks')} /tmp/agent-home.log 2>&1; echo looked`,
      (text) => text.includes('looked'),
    )
    expect(seen).not.toContain('errors.txt')
    expect(await plane.ask('/hooks doctor', (text) => text.includes('(their HOME)'))).toContain(
      `${path.join(mine, 'first')} (`,
    )
  },
)
