import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sha256 } from '../../../src/core/dispatcher/pushes/outcomes.ts'
import { until } from './rig.ts'

const program = fileURLToPath(new URL('push-on.ts', import.meta.url))
const start = (folder: string, ...rest: readonly string[]) =>
  spawn(process.execPath, [program, folder, ...rest], { stdio: ['ignore', 'ignore', 'inherit'] })

test('killed again and again while an agent asks for the same pushes until it hears of each: none is lost, none comes twice, all in order, and what nobody can know is told as unknown', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-kill-'))
  const linesOf = (name: string): readonly string[] =>
    readFileSync(join(folder, name), { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1)
  try {
    for (let round = 0; round < 12; round++) {
      const before = linesOf('arrived').length
      const child = start(folder)
      const exit = once(child, 'exit')
      await until('some to arrive', () => linesOf('arrived').length > before)
      await new Promise((done) => setTimeout(done, Math.random() * 60))
      child.kill('SIGKILL')
      expect(await exit).toEqual([null, 'SIGKILL'])
    }
    const most = Math.max(...linesOf('arrived').map((line) => Number(line.split(':')[1]))) + 9
    expect(await once(start(folder, String(most)), 'exit')).toEqual([0, null])

    const arrived = linesOf('arrived')
    const told = new Map(linesOf('told').map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1]]))
    expect(new Set(arrived).size).toBe(arrived.length)
    for (const chat of ['a', 'b', 'c', 'd', 'e']) {
      const numbers = arrived.filter((line) => line.startsWith(chat)).map((line) => Number(line.slice(2)))
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      for (let number = 0; number < most; number++) {
        const id = `${chat}:${number}`
        expect([id, told.get(id)]).toEqual([id, expect.stringMatching(/^(delivered|unknown)$/)])
        if (told.get(id) === 'delivered') expect([id, arrived.includes(id)]).toEqual([id, true])
      }
    }
    const store = new DatabaseSync(join(folder, 'state.db'), { readOnly: true })
    const records = store
      .prepare("SELECT json FROM record WHERE kind = 'push'")
      .all()
      .map(({ json }) => JSON.parse(String(json)) as { outcome: string; sha256: string })
    store.close()
    const unknown = [...told].filter(([, outcome]) => outcome === 'unknown').map(([id]) => id)
    for (const id of unknown)
      expect([
        id,
        records.filter(({ outcome, sha256: hash }) => outcome === 'unknown' && hash === sha256(id)).length,
      ]).toEqual([id, 1])
    expect(arrived.length).toBeGreaterThan(100)
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 120_000)
