import { actingIn } from '../consent.ts'
import { afterAll, expect, test } from 'vitest'
import type { Config } from '../../src/config/load.ts'
import { needs } from '../needs.ts'
import { startPlane, until, type Plane } from '../plane.ts'

const planes: Plane[] = []
afterAll(() => Promise.all(planes.map((plane) => plane.stop())))

const settings = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'node hooks/last.mjs' }] }] } }
/** Reads the last answer as people's scripts do: the last line with an assistant in it. */
const last = `
import { readFileSync, writeFileSync } from 'node:fs'
const { transcript_path: path, session_id } = JSON.parse(readFileSync(0, 'utf8'))
const line = readFileSync(path, 'utf8').trimEnd().split('\\n').findLast((one) => one.includes('"role":"assistant"'))
const text = JSON.parse(line).message.content.filter((part) => part.type === 'text').map((part) => part.text).join('\\n')
console.log(JSON.stringify({ systemMessage: 'it ended with: ' + text + ' / ' + session_id }))
`

const title = 'a Stop hook of Claude Code finds what was said last in the transcript that it is given'
const findsIt = async (separation: Config['separation']): Promise<void> => {
  const plane = await startPlane(
    'sources:\n  - claude-code: ./.claude/settings.json\n',
    {
      '.claude/settings.json': JSON.stringify(settings),
      'hooks/last.mjs': last,
    },
    {},
    separation,
  )
  planes.push(plane)
  const [row] = await until('the proposal', () =>
    plane.gate.rows().length > 0 ? plane.gate.rows() : undefined,
  )
  if (row?.entry === undefined) throw new Error(row?.problem?.message)
  expect(await actingIn(plane.gate.gatekeeper).approve(row.entry, row.proposed)).toMatchObject({
    ok: true,
  })
  await actingIn(plane.gate.gatekeeper).setSwitch(true)
  await plane.ask('hello there', (answer) => answer.includes('demo agent'))
  const told = await until('the note', () => plane.texts().find((text) => text.includes('it ended with: ')))
  expect(told).toMatch(/it ended with: I am hookgate's demo agent/)
}

test(`${title}, in no sandbox`, () => findsIt('none'))
test(`${title}, in a sandbox`, needs('bwrap'), () => findsIt('sandbox'))
