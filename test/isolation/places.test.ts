import fs from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { proseText } from '../../src/core/model/chat/prose.ts'
import { isWarning, separationLine } from '../../src/shared/gate/separation.ts'
import {
  hiddenHomes,
  isShown,
  mountsFor,
  openHome,
  type SandboxOptions,
} from '../../src/isolation/sandbox/mounts.ts'
import { createReadRule } from '../../src/isolation/reading.ts'
import { toolFolders } from '../../src/isolation/tools.ts'
import { isRoot } from '../../src/isolation/users/rights.ts'
import { makeWorld, type World } from './world.ts'

let world: World | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

const optionsOf = (
  { home, workspace, root, userHome }: World,
  over: Partial<SandboxOptions> = {},
): SandboxOptions => ({ home, workspace, root, userHomes: [userHome], path: [], isRoot: isRoot(), ...over })

test.each([
  ['.pyenv/shims', ['.pyenv']],
  ['.nvm/versions/node/v24.1.0/bin', ['.nvm/versions/node/v24.1.0']],
  [
    '.local/bin',
    [
      '.local/bin',
      '.local/lib',
      '.local/pipx',
      '.local/share/pipx',
      '.local/share/uv/tools',
      '.local/share/uv/python',
    ],
  ],
  ['.local/share/pnpm', ['.local/share/pnpm']],
  ['.local/share/mise/shims', ['.local/share/mise']],
  ['.local/share/bin', ['.local/share/bin']],
  ['.cargo/bin', ['.cargo/bin', '.rustup']],
  ['node_modules/.bin', ['node_modules']],
  ['bin', ['bin']],
  ['', []],
  ['.config/composer/vendor/bin', []],
  ['.cache/x/bin', []],
  ['.mozilla/bin', []],
  ['snap/bin', []],
])('of a home, PATH with ~/%s shows what its programs need and no more', (entry, shown) => {
  expect(toolFolders([path.join('/home/ada', entry), 'bin', ''], ['/home/ada'])).toEqual(
    shown.map((name) => `/home/ada/${name}`),
  )
})

test('a folder of PATH elsewhere that the user could change is only to be read, from the outermost such folder on', async () => {
  world = await makeWorld()
  const brew = path.join(world.userHome, 'brew', 'prefix', 'bin')
  fs.mkdirSync(brew, { recursive: true })
  // The test's own folders lie in /tmp, which is not there in the sandbox at all, and so stays what it is.
  expect(toolFolders([brew], [])).toEqual(['/tmp'])
  expect(
    mountsFor(optionsOf(world, { path: [brew] }), { sockets: [] }).find(({ at }) => at === '/tmp'),
  ).toMatchObject({ kind: 'empty' })
})

test('an installed hookgate has its packages in the sandbox, wherever it is installed and however it was started', async () => {
  world = await makeWorld()
  const packages = path.join(world.userHome, 'project', 'node_modules')
  const root = path.join(packages, 'hookgate')
  fs.mkdirSync(root, { recursive: true })
  expect(
    mountsFor(optionsOf(world, { root }), { sockets: [] }).filter(({ at }) => at.startsWith(packages)),
  ).toEqual([packages, root].map((at) => ({ at, kind: 'read' })))
})

test('a workspace that is the home, or holds it, leaves the home open, and the line warns and says what to do', async () => {
  world = await makeWorld()
  const { userHome } = world
  for (const workspace of [userHome, path.dirname(userHome)]) {
    const options = optionsOf(world, { workspace })
    expect([hiddenHomes(options), openHome(options)]).toEqual([[], userHome])
    expect(mountsFor(options, { sockets: [] }).find(({ at }) => at === userHome)).toMatchObject({
      kind: 'write',
    })
  }
  expect([hiddenHomes(optionsOf(world)), openHome(optionsOf(world))]).toEqual([[userHome], undefined])
  expect([
    hiddenHomes(optionsOf(world, { userHomes: ['/'] })),
    openHome(optionsOf(world, { userHomes: ['/nowhere'] })),
  ]).toEqual([[], undefined])
  const line = { kind: 'sandbox', by: 'bwrap', openHome: 'why. What to do.' } as const
  expect([
    isWarning(line),
    isWarning({ kind: 'sandbox', by: 'bwrap' }),
    isWarning({ kind: 'none', why: '', fix: '' }),
  ]).toEqual([true, false, true])
  expect(proseText(separationLine(line))).toBe(
    'The agent runs in a sandbox (bwrap), hooks in another one: neither can see the gate’s keys or its processes. But your home is visible: why. What to do.',
  )
})

test('a proposal reads of a home only what the agent sees there, wherever links led', async () => {
  world = await makeWorld()
  const { home, workspace, userHome } = world
  const isVisible = isShown(optionsOf(world, { path: [path.join(userHome, 'tools/bin')] }))
  const refuses = createReadRule(home, undefined, (real) => !isVisible(real))
  const judged = (file: string): string | undefined => {
    const descriptor = fs.openSync(file, 'r')
    try {
      return refuses(descriptor, file)
    } finally {
      fs.closeSync(descriptor)
    }
  }
  fs.writeFileSync(path.join(workspace, 'own.sh'), '')
  fs.symlinkSync(userHome, path.join(workspace, 'lane'))
  expect(
    ['own.sh', '../tools/bin/tool', 'lane/workspace/own.sh'].map((name) =>
      judged(path.join(workspace, name)),
    ),
  ).toEqual([undefined, undefined, undefined])
  expect(judged('/etc/passwd')).toBeUndefined()
  for (const name of [
    '../notes.txt',
    'lane/notes.txt',
    'lane/.config/chromium/Default/Cookies',
    '../.config/bin/hidden',
  ])
    expect(judged(path.join(workspace, name))).toBe('a file that the agent itself may not read')
})
