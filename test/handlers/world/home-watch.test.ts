import { beforeEach, expect, test } from 'vitest'
import { createHomeWatch } from '../../../src/handlers/world/home-watch.ts'
import type { RemovedFiles } from '../../../src/handlers/host/spawn/hooks-bound.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'

const megabyte = 1024 ** 2
let [atMs, bytes, free, measured]: number[] = []
let emptied: RemovedFiles[]
let told: string[]
beforeEach(() => {
  ;[atMs, bytes, free, measured] = [0, 0, 1000 * megabyte, 0]
  emptied = []
  told = []
})

const create = () =>
  createHomeWatch({
    host: {
      measure: () => {
        measured = (measured ?? 0) + 1
        return Promise.resolve(bytes)
      },
      empty: (what) => void emptied.push(what),
    },
    world: { home: '/gate/hooks/home', tmp: '/gate/hooks/tmp' },
    tell: (text) => void told.push(proseText(text)),
    now: () => atMs ?? 0,
    maxBytes: 100 * megabyte,
    freeBytes: () => Promise.resolve(free),
  })

test('it is measured at the start, every five minutes, and when the disk has lost 64 MB since the last look', async () => {
  const watch = create()
  const lookAt = async (second: number): Promise<number> => {
    atMs = second * 1000
    await watch.look()
    return measured ?? 0
  }
  expect([await lookAt(0), await lookAt(1), await lookAt(299), await lookAt(300)]).toEqual([1, 1, 1, 2])
  free = 940 * megabyte
  expect(await lookAt(301)).toBe(2)
  free = 930 * megabyte
  expect([await lookAt(302), await lookAt(303)]).toEqual([3, 3])
})

test('too much ends all hooks and empties their caches, all of it if that was not enough, and each is told once an hour', async () => {
  const watch = create()
  bytes = 101 * megabyte
  await watch.look()
  expect([emptied, told]).toEqual([
    ['caches'],
    [
      '⚠ The files of hooks passed 100 MB, so all hooks were stopped. Their caches were emptied. If that is not enough, their other files will be moved away as well. Look for a hook that writes too much.',
    ],
  ])
  for (let times = 0; times < 3; times++) {
    atMs = (atMs ?? 0) + 1000
    await watch.look()
  }
  expect(emptied).toEqual(['caches', 'all', 'all', 'all'])
  expect(told[1]).toContain('All files were moved to .set-aside in /gate/hooks/home and in /gate/hooks/tmp')
  expect(told).toHaveLength(2)
  bytes = 0
  atMs = 3_700_000
  await watch.look()
  bytes = Number.POSITIVE_INFINITY
  atMs = 4_100_000
  await watch.look()
  expect([emptied.at(-1), told.length]).toEqual(['caches', 3])
})
