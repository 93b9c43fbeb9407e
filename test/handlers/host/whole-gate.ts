/**
 * A gate reduced to its hooks: prints the host's pid and the groups of a resident, a waiting and an async
 * program, and lives on.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { armed, payloadWith, startRig, within } from '../transports/rig.ts'

const rig = await startRig()
const resident = armed(['/bin/sh', '-c', `while read -r line; do echo '{"id":"1","answer":{}}'; done`], {
  type: 'process',
})
await rig.process.ask(resident, payloadWith(), within())
const warm = armed(
  ['/bin/sh', '-c', 'echo $$ >> "$1"; read -r payload; exit 0', 'sh', join(rig.folder, 'born')],
  { isWarm: true },
)
await rig.command.ask(warm, payloadWith(), within())
const going = await rig.command.ask(
  armed(['/bin/sh', '-c', `echo '{"async":true,"pid":"'$$'"}'; exec sleep 60`], { event: 'on_user_input' }),
  payloadWith(),
  within(60_000),
)
const born = (): readonly string[] => readFileSync(join(rig.folder, 'born'), 'utf8').trim().split('\n')
while (born().length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
const groups = [rig.process.state()[0]?.pid, Number(born()[1]), Number(JSON.parse(going.stdout).pid)]
console.log(JSON.stringify({ host: rig.host.pid(), groups, folder: rig.folder }))
setInterval(() => undefined, 1000)
