import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { isRoot, makePeople } from '../isolation/people.ts'
import { needs } from '../needs.ts'
import { cli, startProgram, until, type Program, type Starter } from './program.ts'
import { openPhone, ownedEnv, propose, put, token } from './rig.ts'

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

const rights = '+chown,+kill,+setgid,+setuid'

/** A home that others may pass through, owned by whoever runs the gate. */
const homeOf =
  (yaml: string, owner?: { readonly uid: number; readonly gid: number }) =>
  (home: string): void => {
    fs.chmodSync(home, 0o755)
    fs.mkdirSync(path.join(home, '.hookgate'))
    fs.writeFileSync(path.join(home, '.hookgate', 'gate.yaml'), yaml)
    fs.writeFileSync(path.join(home, 'notes.txt'), 'the person’s own')
    if (owner !== undefined) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, home])
  }

const starterFor = (kind: string): Starter => {
  if (people === undefined) return { prepare: homeOf('separation: sandbox\n') }
  const [gate, person] = [people.of('gate'), people.of('person')]
  const users = `agents: {main: {kind: demo, user: ${people.of('agent').name}}}\nhooks: {user: ${people.of('hooks').name}}\nseparation: users\n`
  switch (kind) {
    case 'three users under root':
      return { prepare: homeOf(users) }
    case 'three users under a service that may change users':
      return {
        prefix: [
          'setpriv',
          `--reuid=${gate.uid}`,
          `--regid=${gate.gid}`,
          '--clear-groups',
          `--inh-caps=${rights}`,
          `--ambient-caps=${rights}`,
          `--bounding-set=-all,${rights}`,
        ],
        prepare: homeOf(users, gate),
      }
    default:
      return {
        user: { uid: person.uid, gid: person.gid },
        prepare: homeOf('separation: sandbox\n', person),
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
