import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemFolders } from '../../src/shared/hooks/hook-world.ts'
import {
  hookPathOf,
  objectionOfNone,
  objectionOfSandbox,
  objectionOfUsers,
} from '../../src/isolation/hook-path.ts'
import { mountsFor } from '../../src/isolation/sandbox/mounts.ts'
import { canEnter } from '../../src/isolation/reading.ts'
import { isRoot } from './people.ts'

let root: string
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.homedir(), '.hookgate-path-')))
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const at = (...names: readonly string[]): string => path.join(root, ...names)
const putProgram = (file: string, text = '#!/bin/sh\necho runs\n'): string => {
  fs.mkdirSync(path.dirname(at(file)), { recursive: true })
  fs.writeFileSync(at(file), text, { mode: 0o755 })
  return path.dirname(at(file))
}
const link = (file: string, to: string): string => {
  fs.mkdirSync(path.dirname(at(file)), { recursive: true })
  fs.symlinkSync(to, at(file))
  return path.dirname(at(file))
}
const own = [...systemFolders, '/opt/node/bin']
const addedTo = (found: string): readonly string[] => found.split(':').slice(own.length)

describe('in a sandbox, whose agent writes only its workspace', () => {
  const pathOf = (...started: readonly string[]): ReturnType<typeof hookPathOf> => {
    for (const folder of ['work', '.hookgate/run', 'code']) fs.mkdirSync(at(folder), { recursive: true })
    const mounts = mountsFor(
      {
        home: at('.hookgate'),
        workspace: at('work'),
        root: at('code'),
        userHomes: [root],
        path: started,
        isRoot,
      },
      { sockets: [] },
    )
    return hookPathOf(started, '/opt/node/bin/node', objectionOfSandbox(mounts))
  }

  test("the person's own folders follow the system's, in their order and each once", () => {
    const mine = putProgram('.local/bin/uv')
    const bun = putProgram('.bun/bin/bun')
    const found = pathOf('/usr/bin', mine, 'relative', '', bun, mine)
    expect(found).toEqual({ path: [...own, mine, bun].join(':'), leftOut: [] })
  })

  test('a folder of the workspace is never on it, nor one that a link there leads to, nor one behind such a link', () => {
    const inside = putProgram('work/bin/jq')
    link('bin', at('work', 'bin'))
    putProgram('tools/bin/jq')
    link('work/way', at('tools'))
    link('round', at('work', 'way', 'bin'))
    const { path: found, leftOut } = pathOf(inside, at('bin'), at('work', 'way', 'bin'), at('round'))
    expect(addedTo(found)).toEqual([])
    // The second leads to the first, which is known by then.
    expect(leftOut).toEqual(
      [inside, at('work', 'way', 'bin')].map((folder) => ({ folder, why: 'an agent can write' })),
    )
    expect(pathOf(at('round')).leftOut).toEqual([{ folder: at('round'), why: 'an agent can write' }])
  })

  test('a folder in which a link or a first line leads to what the agent can write is left out and named', () => {
    const target = at('work', 'evil')
    putProgram('work/evil')
    expect(pathOf(link('.cargo/bin/tool', target)).leftOut).toEqual([
      { folder: at('.cargo/bin'), why: 'holds tool, which leads to what an agent can write' },
    ])
    expect(pathOf(putProgram('.bun/bin/tool', `#! ${target} -x\n`)).leftOut).toEqual([
      { folder: at('.bun/bin'), why: 'holds tool, which is run by evil, and that an agent can write' },
    ])
  })

  test('shims that a file of the workspace leads are left out', () => {
    for (const folder of ['.asdf/shims', '.local/share/mise/shims', '.volta/bin']) {
      expect(pathOf(putProgram(`${folder}/node`)).leftOut).toEqual([
        { folder: at(folder), why: 'runs the version that a file of the workspace names' },
      ])
    }
  })

  test('a folder that the sandbox does not show is left out with a reason, and one that is not there without', () => {
    expect(pathOf(putProgram('.config/x/bin/tool'), at('.local', 'bin')).leftOut).toEqual([
      { folder: at('.config/x/bin'), why: 'is not shown in the sandbox' },
    ])
  })
})

test("where the agent is the gate's own user, nothing that this user can change is on it", () => {
  const { path: found, leftOut } = hookPathOf(
    [putProgram('.local/bin/uv')],
    '/opt/node/bin/node',
    objectionOfNone,
  )
  expect([addedTo(found), leftOut]).toEqual([[], [{ folder: at('.local/bin'), why: 'an agent can write' }]])
})

describe.runIf(isRoot)('with users of their own', () => {
  const agent = { name: 'agent', uid: 60_001, gid: 60_001, home: '/', groups: [60_001] }
  const hooks = { name: 'hooks', uid: 60_002, gid: 60_002, home: '/', groups: [60_002] }
  let open: string
  beforeEach(() => {
    open = fs.realpathSync(fs.mkdtempSync('/opt/hookgate-path-'))
    fs.chmodSync(open, 0o755)
  })
  afterEach(() => fs.rmSync(open, { recursive: true, force: true }))
  const pathOf = (...started: readonly string[]): ReturnType<typeof hookPathOf> =>
    hookPathOf(
      started,
      '/opt/node/bin/node',
      objectionOfUsers([agent], hooks, (folder) => canEnter(hooks, folder)),
    )

  test('a folder counts that neither agent nor hooks can change and that hooks can enter', () => {
    const bin = path.join(open, 'tools', 'bin')
    fs.mkdirSync(bin, { recursive: true })
    const uv = path.join(bin, 'uv')
    fs.writeFileSync(uv, '#!/bin/sh\n', { mode: 0o755 })
    expect(addedTo(pathOf(bin).path)).toEqual([bin])
    const refused = (): string | undefined => pathOf(bin).leftOut[0]?.why
    fs.chownSync(bin, agent.uid, 0)
    expect(refused()).toBe('an agent can write')
    fs.chownSync(bin, 0, 0)
    fs.chownSync(path.dirname(bin), agent.uid, 0)
    expect(refused()).toBe('an agent can write')
    fs.chownSync(path.dirname(bin), 0, 0)
    fs.chownSync(uv, agent.uid, 0)
    expect(refused()).toBe('holds uv, which leads to what an agent can write')
    fs.chownSync(uv, 0, 0)
    fs.chmodSync(path.dirname(bin), 0o777)
    expect(refused()).toBe('an agent can write')
    fs.chmodSync(path.dirname(bin), 0o700)
    expect(refused()).toBe('hooks cannot enter')
  })
})
