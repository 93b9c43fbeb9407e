import { chmodSync, mkdirSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { processNamespace } from '../../../src/isolation/sandbox/sandbox.ts'
import { strictSandbox } from '../../../src/isolation/sandbox/strict.ts'

// Makes a strict sandbox as the user that it runs as, and runs a shell script in it. Words: folders, script.
const [home = '', workspace = '', root = '', userHome = '', script = ''] = process.argv.slice(2)
const folder = join(home, 'run/try/new')
const shown = join(folder, 'seal')
mkdirSync(shown, { recursive: true })
for (const path of [folder, shown]) chmodSync(path, 0o755)
const isRoot = process.getuid?.() === 0
const make = strictSandbox(
  { home, workspace, root, userHomes: [userHome], path: [], isRoot },
  processNamespace(),
)
const made = await make(folder, [shown])
if ('why' in made) process.stdout.write(JSON.stringify(made))
else {
  const [file, ...words] = [...made.startAs.prefix, '/bin/sh', '-c', script]
  const env = { PATH: '/usr/bin:/bin', NODE: process.execPath }
  const { stdout, stderr } = spawnSync(file, words, { cwd: '/', env, encoding: 'utf8', timeout: 20_000 })
  process.stdout.write(JSON.stringify({ stdout, stderr }))
}
