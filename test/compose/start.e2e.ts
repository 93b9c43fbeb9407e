import { mkdtemp, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { assemble } from '../../src/main.ts'
import { alive } from '../process-list.ts'

const hookHosts = (): readonly string[] =>
  alive()
    .filter(({ parent, command }) => parent === process.pid && command.includes('handlers/host/process'))
    .map(({ command }) => command)

test('a gate that cannot open tells why, and its hook host has ended with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const home = join(folder, 'home')
  // The first key of a ledger is written to this name, where a folder is in the way.
  await mkdir(join(home, 'secrets', 'ledger.key.new', 'full'), { recursive: true })
  const config = loadConfig({
    HOME: folder,
    HOOKGATE_HOME: home,
    HOOKGATE_WORKSPACE: join(folder, 'workspace'),
    HOOKGATE_PORT: '0',
  })
  await expect(assemble(config, { log: () => undefined })).rejects.toThrow('The ledger cannot be written')
  expect(hookHosts()).toEqual([])
})
