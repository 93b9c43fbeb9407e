import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import { needs } from '../../needs.ts'
import { runScript } from '../../../src/isolation/run-script.ts'
import { startAsGate } from '../../../src/shared/gate/separation.ts'

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
  import { startClean, withOwnLimits } from ${JSON.stringify(resolve('src/shared/base/process-group.ts'))}
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

const whileNodeReads = `
  import { readlinkSync } from 'node:fs'
  import { getCACertificates } from 'node:tls'
  import { inherited, startClean } from ${JSON.stringify(resolve('src/shared/base/process-group.ts'))}
  const isOpen = () => inherited().some((fd) => readlinkSync('/proc/self/fd/' + fd) === process.env.NODE_EXTRA_CA_CERTS)
  while (!isOpen());
  process.stdout.write('it is open ')
  startClean()
  process.stdout.write(String(getCACertificates('extra').length))`

test('a file of certificates that Node still reads is left to it', needs('Linux'), async () => {
  const certificates = join(folder, 'certificates')
  execFileSync('mkfifo', [certificates])
  const pipe = openSync(certificates, 'r+')
  const { stdout } = spawn(process.execPath, ['--input-type=module', '-e', whileNodeReads], {
    env: { NODE_EXTRA_CA_CERTS: certificates },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const said = text(stdout)
  await once(stdout, 'data')
  for (const certificate of rootCertificates.slice(0, 2)) {
    // It closes what it inherited by then, or waits.
    await setTimeout(200)
    writeSync(pipe, `${certificate}\n`)
  }
  closeSync(pipe)
  expect(await said).toBe('it is open 2')
})

test('a script that the gate runs as somebody else leads a session of its own', needs('Linux'), () => {
  const leadsSession = 'read -r line < /proc/$$/stat; set -- $line; [ "$6" = "$$" ]'
  expect(runScript(startAsGate, leadsSession, [])).toBeUndefined()
})
