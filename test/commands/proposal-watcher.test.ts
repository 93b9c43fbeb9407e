import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createProposalWatcher } from '../../src/commands/proposal-watcher.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'
import { anEntry, approveGuard, createFixture, type Fixture } from '../core/gatekeeper/gate-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

test('all interpreters that an update of the system changed are told in one notice, each once, and nothing stops', async () => {
  const bin = path.join(fixture.root, 'bin')
  fs.mkdirSync(bin)
  const install = (name: string, content: string): void => {
    fs.rmSync(path.join(bin, name), { force: true })
    fs.writeFileSync(path.join(bin, name), content, { mode: 0o755 })
  }
  for (const name of ['python9', 'node9']) {
    install(name, '#!/bin/sh\n')
    fixture.write(`hooks/${name}.sh`, `#!/usr/bin/env ${name}\n`)
  }
  const gate = await fixture.open({ path: bin })
  for (const command of ['./hooks/python9.sh', './hooks/python9.sh --more', './hooks/node9.sh'])
    await approveGuard(gate, anEntry({ command }))
  const told: string[] = []
  const proposalWatcher = createProposalWatcher({
    rows: () => [],
    sourceProblem: () => undefined,
    gate: gate.state,
    interpreterNews: gate.interpreterNews,
    announce: () => undefined,
    alarm: (_, text) => void told.push(proseText(text)),
    changed: () => undefined,
  })
  const look = (): void => {
    proposalWatcher.refresh()
    proposalWatcher.refresh()
  }
  look()
  for (const name of ['python9', 'node9']) install(name, '#!/bin/sh\n# newer\n')
  look()
  look()
  expect(told).toEqual([
    `A program that runs 2 approved hooks changed:
${bin}/python9 has changed, as after an update of the system. They still run with it.
A program that runs 1 approved hook changed:
${bin}/node9 has changed, as after an update of the system. They still run with it.`,
  ])
  expect(gate.armed().map((hook) => hook.checkSeal())).toEqual([undefined, undefined, undefined])
})

test('what is proposed in lockdown is announced when it ends, because its card would say nothing before', () => {
  const announced: unknown[] = []
  const alarms: string[] = []
  let lockdown: string | undefined = 'the ledger is damaged'
  const { refresh } = createProposalWatcher({
    rows: () => [],
    sourceProblem: () => undefined,
    gate: () => ({ isOn: true, revision: 4, ...(lockdown === undefined ? {} : { lockdown }) }),
    interpreterNews: () => [],
    announce: (rows) => void announced.push(rows),
    alarm: (about) => void alarms.push(about),
    changed: () => undefined,
  })
  refresh()
  expect(alarms).toEqual(['lockdown'])
  expect(announced).toEqual([])
  lockdown = undefined
  refresh()
  expect(announced).toEqual([[]])
})
