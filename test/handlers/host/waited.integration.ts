import type { RunResult } from '../../../src/core/model/hooks/run-result.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startRun } from '../../../src/handlers/host/run.ts'
import { startWaiting } from '../../../src/handlers/host/prespawned.ts'
import { createPidFile, request, untilGone } from './processes.ts'

let pidFile: ReturnType<typeof createPidFile>
beforeEach(() => {
  pidFile = createPidFile()
})
afterEach(() => pidFile.remove())

describe('a program that waited', () => {
  const says = 'echo $$ >&3'
  const ask = async (script: string, first = says): Promise<RunResult> => {
    const asked = request(['/bin/sh', '-c', `${first}; echo $$ > ${pidFile.path}; read -r word; ${script}`], {
      stdin: 'word\n',
    })
    const waiting = startWaiting(asked, () => undefined)
    await pidFile.read()
    return startRun(asked, { waiting: await waiting.take(asked) }).result
  }

  test('may tell its exit code before the system has cleared it away', async () => {
    const told = 'echo said; exec > /dev/null 2>&1; echo "$$ 7" >&3'
    const result = await ask(`${told}; exec sleep 60`)
    expect(result).toMatchObject({ exitCode: 7, stdout: 'said\n' })
    await untilGone(await pidFile.read())
  })

  test.each(['sh -c \'echo "$$ 7" >&3\'', 'echo "$$ no" >&3', 'echo "$$" >&3', 'echo > /dev/null'])(
    'ends when it exits, whatever its children or its own other words tell: %s',
    async (words) => {
      expect(await ask(`${words}; echo said; exit 3`)).toMatchObject({
        exitCode: 3,
        stdout: 'said\n',
      })
    },
  )

  test('cannot be ended by what it starts, when it did not say while it waited that it tells its end', async () => {
    const forged = `sh -c 'echo "$PPID 0" >&3'`
    expect(await ask(`${forged}; exit 3`, 'true')).toMatchObject({ exitCode: 3 })
    expect(await ask(`${says}; ${forged} 2> /dev/null; exit 3`, 'true')).toMatchObject({ exitCode: 3 })
  })
})
