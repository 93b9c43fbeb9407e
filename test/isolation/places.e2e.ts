import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startAsGate, type StartAs } from '../../src/shared/gate/separation.ts'
import { needs } from '../needs.ts'
import { findAs } from './find-as.ts'
import { isRoot, makePeople } from './people.ts'
import { makeWorld, type World } from './world.ts'

const people = isRoot ? makePeople('person') : undefined
afterAll(() => people?.remove())
let world: World | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

const users = isRoot ? (['root', 'person'] as const) : (['oneself'] as const)
describe.each(users.flatMap((who) => (['bwrap', 'unshare'] as const).map((kind) => [kind, who] as const)))(
  'a sandbox made by %s for %s',
  (kind, who) => {
    test(
      "stands where folders in the home are links and names have spaces, the workspace and the gate's own too",
      needs(kind),
      async () => {
        const account = who === 'person' ? people?.of('person') : undefined
        const user: StartAs['user'] =
          account === undefined ? undefined : { uid: account.uid, gid: account.gid }
        world = await makeWorld(user)
        const at = (...names: readonly string[]): string => path.join(world?.userHome ?? '', ...names)
        fs.mkdirSync(at('a disk', 'x'), { recursive: true })
        fs.renameSync(world.workspace, at('a disk', 'x', 'work'))
        fs.renameSync(at('deep'), at('a disk', 'deep'))
        fs.symlinkSync(at('a disk'), at('disk'))
        fs.symlinkSync('disk/x', at('short'))
        if (user !== undefined) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, at()])
        const linked = { ...world, home: at('disk', 'deep', '.hookgate'), workspace: at('short', 'work') }
        const run = (guest: StartAs, script: string): string => {
          const [file, ...args] = [
            ...guest.prefix,
            '/bin/sh',
            '-c',
            script,
            'sh',
            linked.home,
            linked.workspace,
            at('a disk'),
          ] as const
          const { stdout, stderr } = spawnSync(file, args, {
            ...guest.user,
            cwd: '/',
            encoding: 'utf8',
            env: { PATH: '/usr/bin:/bin' },
            input: '',
          })
          return `${stdout}${stderr}`.trim()
        }
        const socket = path.join(linked.home, 'run', 'main.sock')
        fs.writeFileSync(socket, '')
        if (user !== undefined) fs.chownSync(socket, user.uid, user.gid)
        const { startAs = startAsGate, why } = findAs(linked, user, kind, socket)
        expect(why).toBeUndefined()
        expect(
          run(
            startAs,
            'pwd; touch "$2/made" && echo made; ls -A "$1" "$1/run"; mv "$3" "$3.moved" 2> /dev/null || echo stays',
          ),
        ).toMatch(/work\nmade\n\S*:\nrun\n\n\S*run:\nmain\.sock\nstays$/)
        expect(fs.existsSync(at('a disk', 'x', 'work', 'made'))).toBe(true)
        const hooks = findAs(linked, user, kind).startAs ?? startAsGate
        expect(
          run(
            hooks,
            '"$1/seal/abc/guard.sh"; touch "$1/seal/abc/x" "$1/x" "$3/x" 2> /dev/null || echo closed; mv "$3" "$3.moved" 2> /dev/null || echo stays',
          ),
        ).toBe('sealed\nclosed\nstays')
      },
    )
  },
)
