import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../needs.ts'
import { isRoot, makePeople } from '../people.ts'

const root = resolve(import.meta.dirname, '../../..')
const script = join(import.meta.dirname, 'run-strict.ts')

const people = isRoot ? makePeople('person') : undefined
afterAll(() => people?.remove())
const users = isRoot ? (['root', 'person'] as const) : (['oneself'] as const)

const files = [
  'user/.bashrc',
  'user/.ssh/id_ed25519',
  'user/.hookgate/secrets/ledger.key',
  'user/.hookgate/gate.yaml',
  'user/.hookgate/ledger.jsonl',
  'user/.hookgate/history.db',
  'user/.hookgate/files/abc',
  'user/.hookgate/seal/abc/other.sh',
  'user/.hookgate/run/try/new/seal/guard.sh',
  'user/workspace/notes.txt',
]
let base = ''
const servers: Server[] = []
const at = (name: string): string => join(base, name)

describe.skipIf(process.platform !== 'linux')('the strictest sandbox', needs('bwrap'), () => {
  describe.each(users)('of a gate that runs as %s', (who) => {
    const person = who === 'person' ? people?.of('person') : undefined
    const user = person === undefined ? {} : { uid: person.uid, gid: person.gid }

    beforeEach(() => {
      base = mkdtempSync(join(tmpdir(), 'hookgate-strict-'))
      for (const name of files) {
        mkdirSync(dirname(at(name)), { recursive: true })
        writeFileSync(at(name), name)
        chmodSync(at(name), 0o644)
      }
      chmodSync(base, 0o755)
      if (person !== undefined) execFileSync('chown', ['-R', `${person.uid}:${person.gid}`, base])
    })
    afterEach(async () => {
      for (const server of servers.splice(0)) await new Promise((done) => server.close(done))
      rmSync(base, { recursive: true, force: true })
    })

    /** What a script says in the sandbox, on one line of stdout after the other. */
    const within = (text: string): { readonly stdout: string; readonly stderr: string } => {
      const words = [script, at('user/.hookgate'), at('user/workspace'), root, at('user'), text]
      const said = execFileSync(process.execPath, words, { ...user, cwd: '/', encoding: 'utf8' })
      const told = JSON.parse(said) as { stdout: string; stderr: string; why?: string }
      expect(told.why).toBeUndefined()
      return told
    }
    const listen = async (
      where: { path: string } | { host: string; port: number },
    ): Promise<{ heard: number; port: number }> => {
      const found = { heard: 0, port: 0 }
      const server = createServer((socket) => {
        found.heard += 1
        socket.end('hello')
      })
      servers.push(server)
      await new Promise<void>((done) => server.listen(where, done))
      const address = server.address() as AddressInfo | string
      return Object.assign(found, typeof address === 'string' ? {} : { port: address.port })
    }

    test('shows nothing of the home and nothing of the gate’s folder but the one seal', () => {
      const { stdout } = within(`find ${base} -type f | sort`)
      expect(stdout.trim().split('\n')).toEqual([
        at('user/.hookgate/run/try/new/seal/guard.sh'),
        at('user/workspace/notes.txt'),
      ])
    })

    test('can write nothing but its scratch folders', () => {
      const places = [
        '/',
        '/dev',
        '/run',
        '/var/tmp',
        '/etc',
        '/sys',
        at('user'),
        at('user/.hookgate'),
        at('user/workspace'),
        root,
      ]
      within(places.map((place) => `echo x > ${join(place, 'planted')}`).join('; '))
      const planted = places.map((place) => join(place, 'planted')).filter(existsSync)
      for (const file of planted) rmSync(file)
      expect(planted).toEqual([])
      const { stdout } = within(
        `find / -path /proc -prune -o -type d -writable -print 2>/dev/null; echo x >> ${at('user/workspace/notes.txt')}`,
      )
      // The kernel lets nobody make a file in the folder of terminals.
      const own = ['/tmp', '/dev/pts', '/dev/shm']
      const others = stdout
        .trim()
        .split('\n')
        .filter((place) => !own.some((one) => place.startsWith(one)))
      expect(others).toEqual([])
      expect(readFileSync(at('user/workspace/notes.txt'), 'utf8')).toBe('user/workspace/notes.txt')
    })

    test('leaves nothing of its scratch folder behind, and bounds all files in it together', () => {
      const { stdout } = within(
        'for i in 1 2 3 4; do head -c 20000000 /dev/zero > /tmp/$i; head -c 20000000 /dev/zero > /dev/shm/$i; done 2>/dev/null; for place in /tmp /dev/shm; do cat $place/? | wc -c; done',
      )
      const [scratch = 0, shared = 0] = stdout.trim().split('\n').map(Number)
      expect(scratch).toBeGreaterThan(20_000_000)
      expect(scratch).toBeLessThanOrEqual(32 * 1024 * 1024)
      expect(shared).toBeLessThanOrEqual(4 * 1024 * 1024)
      expect(existsSync('/tmp/1')).toBe(false)
    })

    test('reaches no server of this machine', async () => {
      const tcp = await listen({ host: '127.0.0.1', port: 0 })
      const { stdout } = within(
        `"$NODE" -e 'require("net").connect(${tcp.port}, "127.0.0.1").on("error", (e) => console.log(e.code)).on("data", console.log)'; tail -n +3 /proc/net/dev | grep -vc ' lo:'`,
      )
      expect(stdout).toBe('ECONNREFUSED\n0\n')
      expect(tcp.heard).toBe(0)
    })

    test('reaches no socket that lies in a folder which it sees', async () => {
      const unix = await listen({ path: at('user/workspace/s') })
      chmodSync(at('user/workspace/s'), 0o777)
      const { stdout } = within(
        `"$NODE" -e 'require("net").connect("${at('user/workspace/s')}").on("error", (e) => console.log(e.code)).on("data", console.log)'`,
      )
      expect(stdout).toMatch(/^EAFNOSUPPORT/)
      expect(unix.heard).toBe(0)
    })

    test('bounds the number of its processes', () => {
      const { stdout, stderr } = within(
        'n=0; while [ $n -lt 400 ]; do sleep 1 & n=$((n + 1)); echo $n; done | tail -n 1; wait',
      )
      expect(Number(stdout)).toBeLessThan(128)
      expect(stderr).toMatch(/fork/i)
    })

    test('bounds the memory of each process, and lets Node work', () => {
      const { stdout, stderr } = within(
        `"$NODE" -p '"works"'; "$NODE" -e 'const all = []; for (let i = 0; i < 30; i += 1) all.push(Buffer.alloc(1e8, 1)); console.log("3 GB")'`,
      )
      expect(stdout).toBe('works\n')
      expect(stderr).toMatch(/memory/i)
    })

    test('hides no memory in files without a name or in the memory of the system', needs('python3'), () => {
      const { stdout } = within(
        `python3 -c 'import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(libc.shmget(0, 4096, 0o1600), libc.memfd_create(b"x", 0), libc.msgget(0, 0o1600), libc.semget(0, 1, 0o1600))'`,
      )
      expect(stdout).toBe('-1 -1 -1 -1\n')
    })

    test('begins no process in a user namespace', needs('python3'), () => {
      const { stdout } = within(
        `python3 -c 'import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
clone = 56 if platform.machine() == "x86_64" else 220
child = libc.syscall(clone, 0x10000011, 0, 0, 0, 0)
if child == 0: os._exit(0)
print(child)'`,
      )
      expect(stdout).toBe('-1\n')
    })

    test('makes no namespace in which it would have rights', () => {
      const { stdout, stderr } = within(
        'unshare --user --map-root-user echo inside; unshare --mount echo inside',
      )
      expect(stdout).toBe('')
      expect(stderr).toMatch(/not permitted/i)
    })

    test('has no rights, no process of the machine and, for root, a user that nobody else is', () => {
      const { stdout } = within(
        `id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t'; ls /proc | grep -c '^[0-9]'`,
      )
      const [uid, ...rest] = stdout.trim().split('\n')
      expect(rest.slice(0, 4)).toEqual([
        'CapEff:0000000000000000',
        'CapBnd:0000000000000000',
        'NoNewPrivs:1',
        'Seccomp:2',
      ])
      expect(Number(rest[4])).toBeLessThan(10)
      if (who === 'root') expect(Number(uid)).toBeGreaterThanOrEqual(61_184)
      else expect(Number(uid)).toBe(person?.uid ?? process.getuid?.())
    })
  })

  test('is refused with words where the home lies in the workspace', () => {
    base = mkdtempSync(join(tmpdir(), 'hookgate-strict-'))
    const words = [script, at('gate'), base, root, join(base, 'user'), 'true']
    mkdirSync(at('user'))
    if (people !== undefined) chownSync(base, 0, 0)
    const told = execFileSync(process.execPath, words, { cwd: '/', encoding: 'utf8' })
    rmSync(base, { recursive: true, force: true })
    expect(JSON.parse(told)).toEqual({
      why: 'your home is the workspace or lies in it, so it could be read',
      fix: 'Name another workspace: HOOKGATE_WORKSPACE.',
    })
  })
})
