import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createMemory, type MemoryChannel } from '../../bots/memory/memory.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Parts } from '../../src/compose/parts.ts'
import { assemble } from '../../src/main.ts'
import { needs } from '../needs.ts'
import { until } from '../until.ts'

let root = ''
let gate: Parts | undefined
let memory: MemoryChannel | undefined
afterEach(async () => {
  await gate?.stop()
  await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

/** A gate on the same folders each time, in a sandbox. */
const begin = async (): Promise<void> => {
  const config = loadConfig({
    HOOKGATE_HOME: join(root, 'home'),
    HOOKGATE_WORKSPACE: join(root, 'workspace'),
    HOOKGATE_PORT: '0',
    XDG_CONFIG_HOME: join(root, 'config'),
  })
  gate = await assemble(
    { ...config, owners: ['memory:owner'], separation: 'sandbox', bridge: { ...config.bridge, port: 0 } },
    {
      log: () => undefined,
      channels: (ports) => [(memory = createMemory(undefined, ports))],
    },
  )
}
const ask = async (text: string, holds: (answer: string) => boolean): Promise<string> => {
  const texts = (): readonly string[] => memory?.sent().map((outgoing) => outgoing.text) ?? []
  const from = texts().length
  // A number that no message of an earlier start had.
  memory?.say(text, { chat_id: 'owner', message_id: randomUUID() })
  return until(`an answer to ${text}`, () => texts().slice(from).find(holds))
}

test(
  'in a sandbox /undo goes back to a snapshot from before a restart',
  needs('Linux', 'unshare', 'setpriv'),
  async () => {
    root = await mkdtemp(join(tmpdir(), 'hookgate-kept-'))
    const note = join(root, 'workspace', 'notes.txt')
    await mkdir(join(root, 'workspace', 'config'), { recursive: true })
    await writeFile(
      join(root, 'workspace', 'config', 'shell_hooks.yaml'),
      'hooks:\n  - {event: pre_tool_call, type: builtin, command: snapshot}\n',
    )
    await writeFile(note, 'dear')
    await begin()
    expect(gate?.separation.kind).toBe('sandbox')
    await ask('/hooks approve pre_tool_call snapshot', (text) => text.includes('Approved'))
    await ask('/hooks on', (text) => text.includes('Hooks are ON'))
    await ask('!rm notes.txt; echo gone', (text) => text.includes('gone'))
    await gate?.stop()
    await begin()
    // Its host is there.
    await ask('say hello', (text) => text.includes('hello'))
    expect(await ask('/undo', (text) => text.includes('ndone'))).toContain('Brought back 1: notes.txt')
    expect(await readFile(note, 'utf8')).toBe('dear')
  },
)
