import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeSync,
} from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { createPipes, type Pipe } from '../../../../src/handlers/host/spawn/pipes.ts'
import { startRun } from '../../../../src/handlers/host/run.ts'
import { request } from '../processes.ts'
import { until } from '../../../until.ts'

const run = async (script: string, stdin = '') =>
  startRun(request(['/bin/sh', '-c', script], { stdin })).result

// Elsewhere /dev/fd leads to the descriptor itself, and no pipes are made.
const onLinux = describe.runIf(process.platform === 'linux')

describe('a hook', () => {
  test('opens /dev/stdin, /dev/stdout and /dev/stderr by name', async () => {
    const result = await run(
      'cat /dev/stdin; echo both | tee /dev/stderr; echo out > /dev/stdout; echo err > /dev/stderr',
      'payload\n',
    )
    expect(result).toMatchObject({ exitCode: 0, stdout: 'payload\nboth\nout\n', stderr: 'both\nerr\n' })
  })

  test('opens /dev/stdin by name when all that it was given is written and closed', async () => {
    expect(await run('sleep 0.2; cat /dev/stdin', 'payload\n')).toMatchObject({
      exitCode: 0,
      stdout: 'payload\n',
    })
  })

  test('opens /dev/stdin by name when it is given more than a pipe holds', async () => {
    expect(await run('cat /dev/stdin | wc -c', 'x'.repeat(900_000))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\s*900000\n$/),
    })
  })

  test('sees pipes, as scripts expect that ask whether something is piped in', async () => {
    expect(await run('[ -p /dev/stdin ] && [ -p /dev/stdout ] && echo pipes')).toMatchObject({
      stdout: 'pipes\n',
    })
  })

  test('finds an empty pipe, whatever the one before left in its own', async () => {
    for (let round = 0; round < 30; round++) {
      // Nobody reads its 60 kB; nobody waits for what it says after its answer.
      await run('exit 0', 'x'.repeat(60_000))
      expect(await run('cat', 'mine')).toMatchObject({ stdout: 'mine', stderr: '' })
    }
  })

  test('that is started beside many others gets pipes like them', async () => {
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) => run('cat /dev/stdin', String(index))),
    )
    expect(results.map(({ stdout }) => stdout)).toEqual(
      Array.from({ length: 40 }, (_, index) => String(index)),
    )
  })
})

onLinux('a pipe', () => {
  const open: Pipe[] = []
  const closeBoth = ({ ours, theirs }: Pipe): void => {
    closeSync(ours)
    closeSync(theirs)
  }
  afterEach(() => {
    for (const pipe of open.splice(0)) closeBoth(pipe)
  })
  const wordless = () =>
    createPipes((text) => {
      throw new Error(text)
    })
  const inode = ({ ours }: Pipe): string => readlinkSync(`/proc/self/fd/${ours}`)
  const opened = (pipes: ReturnType<typeof wordless>, direction: 'in' | 'out' = 'out'): Pipe => {
    const pipe = pipes.open(direction)
    if (pipe === undefined) throw new Error('Expected a pipe, got none.')
    return pipe
  }

  test('holds nothing at first, and leads from one end to the other', () => {
    const pipes = wordless()
    for (let round = 0; round < 10; round++) {
      const pipe = opened(pipes)
      open.push(pipe)
      expect(() => readSync(pipe.ours, Buffer.alloc(10))).toThrow(/EAGAIN/)
      writeSync(pipe.theirs, 'word')
      expect(readSync(pipe.ours, Buffer.alloc(10))).toBe(4)
    }
    expect(new Set(open.map(inode)).size).toBe(10)
  })

  test('serves again, and then nothing of before is in it', async () => {
    const pipes = wordless()
    const first = opened(pipes)
    const name = inode(first)
    writeSync(first.theirs, 'secret')
    closeBoth(first)
    pipes.release(first)
    await until('the same pipe again', () => {
      const next = opened(pipes)
      open.push(next)
      expect(() => readSync(next.ours, Buffer.alloc(10))).toThrow(/EAGAIN/)
      return inode(next) === name
    })
  })

  test.each(['in', 'out'] as const)(
    'that another process still holds (%s) serves nobody else',
    async (direction) => {
      const pipes = wordless()
      const held = opened(pipes, direction)
      const name = inode(held)
      const holder = spawn('/bin/sleep', ['30'], { stdio: ['ignore', 'ignore', 'ignore', held.theirs] })
      closeBoth(held)
      pipes.release(held)
      await new Promise((resolve) => setTimeout(resolve, 300))
      for (let count = 0; count < 20; count++) open.push(opened(pipes))
      expect(open.map(inode)).not.toContain(name)
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    },
  )

  test('that somebody opened before it was needed serves nobody', () => {
    const pipes = wordless()
    pipes.prepare(1)
    const mine = readdirSync('/proc/self/fd').map((fd) => `/proc/self/fd/${fd}`)
    const isWaiting = (file: string): boolean => existsSync(file) && readlinkSync(file).startsWith('pipe:')
    const held = mine
      .filter(isWaiting)
      .map((file) => openSync(file, constants.O_RDONLY | constants.O_NONBLOCK))
    const names = held.map((fd) => readlinkSync(`/proc/self/fd/${fd}`))
    open.push(opened(pipes, 'in'))
    for (const fd of held) closeSync(fd)
    expect(names).not.toEqual([])
    expect(names).not.toContain(open.map(inode)[0])
  })

  test('has no name in any folder, and leaves no shell behind', () => {
    const pipe = opened(wordless())
    open.push(pipe)
    expect(inode(pipe)).toMatch(/^pipe:\[\d+\]$/)
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    const commands = children
      .trim()
      .split(' ')
      .map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        } catch {
          return ''
        }
      })
    expect(commands.join(' ')).not.toContain('<<E')
  })
})
