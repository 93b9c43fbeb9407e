import { appendFile, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSessionFiles } from '../../../src/agents/session/session-file.ts'
import { newSession } from '../../../src/agents/session/session.ts'
import { startModel } from '../../fixtures/model/model.ts'
import { createScriptedGate, untilFollowed } from '../scripted-gate.ts'
import { useOpenai } from './rig.ts'

const rig = useOpenai()
const here = { channel: 'web', chat_id: 'main' }
const folder = (): string => join(rig.gate.workspace, '.hookgate/sessions/main')

test("A conversation outlives the agent's process: the next one resumes it, and /new ends it for good", async () => {
  const model = await startModel((asked) => ({
    text: `I know ${asked.messages.length}: ${asked.messages.map(({ text }) => text).join('|')}`,
  }))
  const gate = await createScriptedGate(
    { kind: 'openai', model: 'm', contextTokens: 8000, maxSteps: 5 },
    { baseUrl: model.url, model: 'm', perHour: { calls: 100, tokens: 1_000_000 } },
  )
  try {
    const first = gate.startHost()
    await gate.turn('my name is Ada')
    await first.stop()
    await expect.poll(() => gate.isFollowed()).toBe(false)
    const second = gate.startHost()
    const resumed = await gate.turn('who am I?')
    expect(resumed.pushed).toEqual([expect.stringMatching(/^I know 3: my name is Ada\|/)])
    expect(resumed.fired[0]).toMatchObject({
      event: 'on_session_start',
      body: { source: 'resume', session_id: gate.fired[0]?.body['session_id'] },
    })
    await second.stop()
    await expect.poll(() => gate.isFollowed()).toBe(false)
    gate.startHost()
    await untilFollowed(gate)
    gate.send({ type: 'new', ...here })
    await expect.poll(() => readdir(join(gate.workspace, '.hookgate/sessions/main'))).toEqual([])
    expect((await gate.turn('hello')).pushed).toEqual(['I know 1: hello'])
  } finally {
    await gate.close()
    await model.stop()
  }
}, 60_000)

test('What was said is on disk once the turn ends', async () => {
  rig.model.follow(() => ({ text: 'hello' }))
  await rig.gate.turn('remember me')
  const [name = ''] = await readdir(folder())
  const before = await readFile(join(folder(), name), 'utf8')
  expect(before).toContain('remember me')
  const session = await createSessionFiles(folder()).load(here)
  expect(session?.messages.map(({ content }) => content)).toEqual(['remember me', 'hello'])
})

test('A torn last line is dropped, and what others wrote into the file breaks nothing', async () => {
  const files = createSessionFiles(join(rig.gate.workspace, 'torn'))
  const session = { ...newSession(), goal: 'the goal' }
  session.messages.push(
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two', tool_calls: [{ id: 'a', name: 'bash', input: { command: 'ls' } }] },
  )
  await files.save(here, session)
  const [name = ''] = await readdir(join(rig.gate.workspace, 'torn'))
  const path = join(rig.gate.workspace, 'torn', name)
  await appendFile(path, '{"message":{"role":"user","content":"thr')
  const torn = await files.load(here)
  expect(torn).toMatchObject({
    id: session.id,
    goal: 'the goal',
    messages: session.messages,
    savedMessages: 0,
  })
  await appendFile(
    path,
    '\nnull\n[]\n{"message":{"role":"boss","content":"x"}}\n{"state":{"goal":7,"tools":[{"name":1}],"steps":"many"}}\n{"message":{"role":"user","content":"four"}}\n',
  )
  expect((await files.load(here))?.messages.map(({ content }) => content)).toEqual(['one', 'two', 'four'])
  for (const broken of ['', 'nonsense', '{"session":{"id":7}}\n', '{"session":[]}', '\u0000'.repeat(1000)]) {
    await writeFile(path, broken)
    expect(await files.load(here)).toBeUndefined()
  }
})

test('A file stays bounded: a conversation of many megabytes keeps its beginning and its end', async () => {
  const files = createSessionFiles(join(rig.gate.workspace, 'big'))
  const session = newSession()
  for (let at = 0; at < 120; at++) {
    session.messages.push({ role: 'user', content: `${at} ${'x'.repeat(100_000)}` })
    if (at % 10 === 0) await files.save(here, session)
  }
  await files.save(here, session)
  const loaded = await files.load(here)
  expect(loaded?.messages[0]?.content.slice(0, 2)).toBe('0 ')
  expect(loaded?.messages.at(-1)?.content.slice(0, 4)).toBe('119 ')
  const [name = ''] = await readdir(join(rig.gate.workspace, 'big'))
  expect((await readFile(join(rig.gate.workspace, 'big', name))).length).toBeLessThan(9_000_000)
})

test('The newest 200 conversations are kept at a start; what is none of ours stays', async () => {
  const folder = join(rig.gate.workspace, 'many')
  await mkdir(folder)
  const nameOf = (at: number): string => `${at.toString(16).padStart(32, '0')}.jsonl`
  for (let at = 0; at < 205; at++) {
    const path = join(folder, nameOf(at))
    await writeFile(path, '')
    await utimes(path, 1_000_000 - at, 1_000_000 - at)
  }
  await writeFile(join(folder, 'notes.txt'), 'mine')
  await mkdir(join(folder, `${'f'.repeat(32)}.jsonl`))
  const files = createSessionFiles(folder)
  const session = newSession()
  await files.save(here, session)
  const left = await readdir(folder)
  expect(left).toHaveLength(202)
  expect(left).toContain('notes.txt')
  expect([nameOf(198), nameOf(199), nameOf(204)].map((name) => left.includes(name))).toEqual([
    true,
    false,
    false,
  ])
  expect((await files.load(here))?.id).toBe(session.id)
})

test('A disk that takes nothing costs no turn', async () => {
  const files = createSessionFiles('/dev/null/nowhere')
  await files.save(here, newSession())
  expect(await files.load(here)).toBeUndefined()
  await files.drop(here)
})
