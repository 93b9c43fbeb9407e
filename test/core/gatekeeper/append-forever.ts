// Opens the gate in argv[2] over the workspace argv[3] and changes it without end. Each change is printed
// when it is acknowledged.
import fs from 'node:fs'
import { anEntry, openFixtureGate } from './gate-fixture.ts'

const [home = '', workspace = ''] = process.argv.slice(2)
const gate = await openFixtureGate({
  home,
  workspace,
  path: '/usr/bin:/bin',
  adopt: { owners: [{ id: 'telegram:7', chat_id: '7' }], isOn: false },
  isForcedOn: false,
  now: Date.now,
  elapsedMs: () => performance.now(),
  log: () => undefined,
  onLockdown: (why) => fs.writeSync(1, `lockdown ${why}\n`),
})
const acknowledge = (): void => {
  const { revision, head, isOn, approvals } = gate.state()
  fs.writeSync(1, `${JSON.stringify({ revision, head, isOn, approvals: [...approvals.keys()] })}\n`)
}
acknowledge()
for (let count = 0; ; count++) {
  await gate.setSwitch(!gate.state().isOn, 'telegram:7')
  acknowledge()
  const done = await gate.approve(anEntry({ args: [String(count % 3)] }), 'telegram:7')
  acknowledge()
  if (!done.ok) throw new Error(done.problem.message)
  await gate.revoke(done.approval.fingerprint, 'telegram:7')
  acknowledge()
}
