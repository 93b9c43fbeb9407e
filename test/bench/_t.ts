import { startPlane } from '../plane.ts'
import { measureMatching } from './match.ts'
const plane = await startPlane('hooks: []\n', { 'hook.sh': '#!/bin/sh\nread -r payload\necho "{}"\n' })
plane.gate.gatekeeper.setSwitch(true, 'memory:owner')
for (const s of await measureMatching(plane)) { console.log(s.name); for (const t of s.times) console.log('   ', t.name.padEnd(25), t.medianUs.toFixed(2), t.p95Us.toFixed(2)) }
await plane.stop()
