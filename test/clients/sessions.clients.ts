import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCalls } from '../../src/history/sessions/read.ts'
import { isSessionClient, sessionRoots } from '../../src/history/sessions/table.ts'
import { startModel } from '../fixtures/model/model.ts'
import { cacheFolder } from './cache.ts'
import { REAL_CLIENTS } from './clients.ts'
import { offline, prompt, runProgram } from './rig.ts'

const keeps = '$title keeps its calls where hookgate scan reads them'
test.each(REAL_CLIENTS)(keeps, { timeout: 120_000 }, async (client) => {
  const root = mkdtempSync(join(tmpdir(), 'hookgate-client-'))
  const [home, project] = [join(root, 'home'), join(root, 'project')]
  for (const folder of [home, project]) mkdirSync(folder)
  const says = [
    { toolCalls: [client.shell('touch made')] },
    { toolCalls: [client.subagent('help me')] },
    { text: 'It is done.' },
  ]
  let at = 0
  let inside = 0
  const model = await startModel(({ toolNames, messages }) => {
    if (toolNames.length === 0) return { text: 'A title' }
    if (messages.some(({ text }) => text.includes(prompt))) return says[at++] ?? { text: 'It is done.' }
    return inside++ === 0 ? { toolCalls: [client.shell('touch inside')] } : { text: 'I helped.' }
  })
  try {
    const stage = { home, project, model: model.url, cache: cacheFolder }
    client.prepare(stage)
    await runProgram(client.command(stage, prompt), project, { HOME: home, ...offline, ...client.env(stage) })
    const roots = isSessionClient(client.name) ? sessionRoots([client.name], { home, env: {} }) : []
    const { calls, progress } = readCalls({ roots, sinceMs: 0 })
    const found = [...calls].filter((call) => call !== undefined)
    expect(progress().problems).toEqual([])
    const made = found.flatMap(({ input: { command }, cwd }) =>
      typeof command === 'string' && command.startsWith('touch') ? [`${command} in ${cwd}`] : [],
    )
    expect(new Set(made)).toEqual(new Set([`touch made in ${project}`, `touch inside in ${project}`]))
    expect(new Set(found.map(({ session }) => session)).size).toBe(client.name === 'opencode' ? 2 : 1)
  } finally {
    await model.stop()
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
})
