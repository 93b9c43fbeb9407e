import { expect, test } from 'vitest'
import { arm, put } from '../e2e/rig.ts'
import { guard, useGates } from './use-gates.ts'

const gates = useGates()
const { start, holder } = gates

test('a gate that is killed is followed by the one that waits, with its switch, its hooks and their bytes', async () => {
  const first = await start()
  await put(first, 'guard.sh', guard)
  await arm(first, gates.phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  await gates.phone.ask('!echo forbidden', /I did not run bash/)

  const { taken } = await gates.wait(first)
  expect(await holder()).toContain(String(first.child.pid))
  expect(await gates.phone.ask('/nodes', /The gate runs on/)).toMatch(
    /Waiting to take over:\nprocess \d+ on .* · version \S+ · ready/,
  )
  await first.kill()
  const second = await taken
  expect(second.output()).toContain(`Another hookgate works on this database (process ${first.child.pid} on `)
  expect(await holder()).toContain(String(second.child.pid))

  // Only the database has the sealed bytes: the script of the workspace is another one by now.
  await put(second, 'guard.sh', '#!/bin/sh\nexit 0\n')
  await gates.phone.ask('!echo forbidden', /I did not run bash/)
  await gates.phone.ask('/hooks', /Hooks are ON/)
  await gates.phone.ask('/hooks off', /Hooks are OFF/)
  await gates.phone.ask('!echo forbidden', /^forbidden/)
})
