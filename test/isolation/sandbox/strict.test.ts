import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, describe, expect, test } from 'vitest'
import { callFilter } from '../../../src/isolation/sandbox/syscalls.ts'
import { strictSandbox } from '../../../src/isolation/sandbox/strict.ts'

const folder = mkdtempSync(`${tmpdir()}/hookgate-strict-`)
afterAll(() => rmSync(folder, { recursive: true }))
const options = { home: folder, workspace: folder, root: folder, userHomes: [], path: [], isRoot: false }

describe('a machine without the strict sandbox', () => {
  test.each(['bwrap', 'setpriv', 'prlimit', 'nice'])(
    'that lacks %s is told what to install',
    async (lacking) => {
      const make = strictSandbox(options, '', undefined, (name) =>
        name === lacking ? undefined : `/usr/bin/${name}`,
      )
      expect(await make(folder, [])).toEqual(
        process.platform === 'linux'
          ? {
              why: 'bubblewrap or util-linux is missing',
              fix: 'Install bubblewrap 0.6 or newer and util-linux on the machine of the gate.',
            }
          : { why: 'this system is not Linux', fix: 'Run hookgate on Linux, with bubblewrap.' },
      )
    },
  )

  test('where bubblewrap does not work gets no sandbox that holds less', async () => {
    const make = strictSandbox(options, '', undefined, () => '/bin/false')
    const made = await make(folder, [])
    expect('why' in made).toBe(true)
  })
})

test('the filter of system calls is known for the usual processors, and no other one gets a guess', () => {
  expect(callFilter('x64')?.length).toBeGreaterThan(400)
  expect(callFilter('arm64')?.length).toBeGreaterThan(400)
  expect(callFilter('riscv64')).toBeUndefined()
})
