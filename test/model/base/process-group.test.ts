import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { needs } from '../../needs.ts'
import { runScript } from '../../../src/isolation/run-script.ts'
import { startAsGate } from '../../../src/model/gate/separation.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookgate-clean-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The last descriptor that the starter leaves open, behind a gap. */
const leaked = 33
const dirty =
  'umask 0; trap "" PIPE TERM CHLD INT QUIT; ulimit -S -c unlimited; ulimit -S -f 4096; ulimit -S -t 500; exec "$@"'
/** What a program sees that was started by a program that was started like this. */
const look = `umask; ulimit -S -c; for of in f t; do [ "$(ulimit -S "-$of")" = "$(ulimit -H "-$of")" ] && echo high; done; cat /proc/self/fd/${leaked}; grep -E "^Sig(Blk|Ign)" /proc/self/status; echo end`
const crossing = `
  import { spawnSync } from 'node:child_process'
  import { startClean, withOwnLimits } from ${JSON.stringify(resolve('src/model/base/process-group.ts'))}
  const look = (...words) => {
    const [program, ...args] = [...words, '/bin/sh', '-c', ${JSON.stringify(look)}]
    return spawnSync(program, args, { encoding: 'utf8' }).stdout.trim().split('\\n')
  }
  const before = look()
  startClean()
  console.log(JSON.stringify({ before, after: look(...withOwnLimits) }))`

test(
  'a program behind a separation has nothing of what the starter left open, lowered or switched off',
  needs('Linux'),
  () => {
    const secret = join(folder, 'secret')
    writeFileSync(secret, 'only the starter may read this\n')
    const file = openSync(secret, 'r')
    const words = ['-c', dirty, 'sh', process.execPath, '--input-type=module', '-e', crossing]
    const gap = Array.from({ length: leaked - 3 }, () => 'ignore' as const)
    const { stdout } = spawnSync('/bin/sh', words, { stdio: ['ignore', 'pipe', 'ignore', ...gap, file] })
    closeSync(file)
    const { before, after } = JSON.parse(stdout.toString())
    expect(before.slice(0, 3)).toEqual(['0000', 'unlimited', 'only the starter may read this'])
    const noSignal = '\t0000000000000000'
    expect(after).toEqual(['0022', '0', 'high', 'high', `SigBlk:${noSignal}`, `SigIgn:${noSignal}`, 'end'])
  },
)

test('a script that the gate runs as somebody else leads a session of its own', needs('Linux'), () => {
  const leadsSession = 'read -r line < /proc/$$/stat; set -- $line; [ "$6" = "$$" ]'
  expect(runScript(startAsGate, leadsSession, [])).toBeUndefined()
})
