import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { isRoot, makePeople } from '../isolation/people.ts'
import { needs } from '../needs.ts'
import { cli, startProgram, until, type Program, type Starter } from './program.ts'
import { openPhone, ownedEnv, propose, put, token } from './rig.ts'
import { asService, homeWith } from './starters.ts'

const people = isRoot ? makePeople('gate', 'agent', 'hooks', 'person') : undefined
afterAll(() => people?.remove())

let api: BotApi
let program: Program | undefined
beforeEach(async () => {
  api = await startBotApi({ token })
})
afterEach(async () => {
  await program?.remove()
  program = undefined
  await api.stop()
})

const starterFor = (kind: string): Starter => {
  if (people === undefined) return { prepare: homeWith('separation: sandbox\n') }
  const [gate, person] = [people.of('gate'), people.of('person')]
  const users = `agents: {main: {kind: demo, user: ${people.of('agent').name}}}\nhooks: {user: ${people.of('hooks').name}}\nseparation: users\n`
  switch (kind) {
    case 'three users under root':
      return { prepare: homeWith(users) }
    case 'three users under a service that may change users':
      return {
        ...asService(gate),
        prepare: homeWith(users, gate),
      }
    default:
      return {
        user: { uid: person.uid, gid: person.gid },
        prepare: homeWith('separation: sandbox\n', person),
      }
  }
}

const kinds = isRoot
  ? ['one user without root', 'three users under root', 'three users under a service that may change users']
  : ['one user without root']

describe.each(kinds)('with %s', needs('bwrap', 'Linux'), (kind) => {
  test('a hook under trial sees the workspace, to read, and nothing of the home', async () => {
    const gate = await startProgram(ownedEnv(api), cli, starterFor(kind))
    program = gate
    const phone = openPhone(api)
    await phone.ask('!echo one', /^one/)
    await put(
      gate,
      'look.sh',
      `#!/bin/sh
cat > /dev/null
seen=$(cat look.sh | wc -l)
hidden=$(ls -A ${gate.home} | tr '\\n' ' ')
{ echo x > planted || echo x > ${gate.home}/planted; } 2> /dev/null
printf 'read %s lines of %s, home: %s' "$seen" "$PWD" "$hidden" >&2
exit 2
`,
    )
    await propose(gate, phone, [{ event: 'pre_tool_call', command: './look.sh' }])
    api.tap('Try')
    const text = await until('the end of the trial', () => {
      const last = api.texts(7).at(-1) ?? ''
      return /Nothing was decided|was not tried/.test(last) ? last : false
    })
    expect(text).toContain('Of 1 past events 1 matched: 1 blocked')
    expect(text).toContain(`read 7 lines of ${gate.workspace}, home: .hookgate hookgate`)
    expect(fs.existsSync(path.join(gate.workspace, 'planted'))).toBe(false)
    expect(fs.existsSync(path.join(gate.home, 'planted'))).toBe(false)
  })
})
