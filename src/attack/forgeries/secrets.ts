import fs from 'node:fs'
import path from 'node:path'
import { inherited } from '../../shared/base/process-group.ts'
import { done, forging, open, refused, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { filesUnder, mayWrite, post, read, readAll, sha256 } from '../means.ts'

const takeover = 'It could sign as the gate, or command your bot.'
const readingMeans = 'It could read what you and others write, and what the gate knows.'

/** It has the form of a token and opens nothing. */
const token = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3eF5'].join('_')
const letters = token.split('')
const coded = (text: string): string => Buffer.from(text).toString('base64')

/** A token, each time in another form that a reader undoes without effort. */
const disguises: readonly string[] = [
  token,
  `${'x'.repeat(20)}${token}`,
  `${token}${'y'.repeat(12)}`,
  letters.join('\u200b'),
  letters.join(' '),
  letters.toReversed().join(''),
  encodeURIComponent(token).replaceAll('3', '%33'),
  coded(token),
  // UTF-32.
  coded([...letters, ''].join('\0\0\0')),
]

/** Returns the hashes of all values of an environment. */
const environment = (pid: number | 'self'): readonly string[] =>
  read(`/proc/${pid}/environ`)
    .toString('latin1')
    .split('\0')
    .filter((line) => line.includes('='))
    .map((line) => sha256(Buffer.from(line.slice(line.indexOf('=') + 1), 'latin1')))

/** Reads the first readable page of a process. A process that can read one page can read all. */
const memory = (pid: number): ForgeryReport => {
  const [first] = read(`/proc/${pid}/maps`)
    .toString('latin1')
    .split('\n')
    .filter((line) => /^\S+ r/.test(line))
  if (first === undefined) return refused('its map is empty')
  const fd = fs.openSync(`/proc/${pid}/mem`, 'r')
  try {
    const got = fs.readSync(fd, Buffer.alloc(16), 0, 16, Number.parseInt(first, 16))
    return open(`${got} bytes of its memory were read`)
  } finally {
    fs.closeSync(fd)
  }
}

/** Reads open files through the links of /proc, which work even where the folder of the file is closed. */
const openFiles = (target: Target): ForgeryReport => {
  const folder = `/proc/${target.gatePid}/fd`
  const names = fs.readdirSync(folder)
  const files = names
    .map((name) => path.join(folder, name))
    .filter((link) => {
      try {
        return fs.readlinkSync(link).startsWith(target.home) && fs.statSync(link).isFile()
      } catch {
        return false
      }
    })
  return files.length === 0 ? open(`${names.length} of its open files are listed`) : readAll(files)
}

const takingOver = forging({ withoutSeparation: takeover })
const reading = forging({ withoutSeparation: readingMeans })
const readingEnvironment = forging({ needs: ['linux'], withoutSeparation: takeover })
const findingHooks = forging({
  needs: ['linux', 'hookHost'],
  withoutSeparation: 'It could find the processes of hooks.',
})
const onLinux = forging({ needs: ['linux'] })
const readingMemory = forging({ needs: ['linux'], withoutSeparation: takeover, varies: true })
const changingGate = forging({
  needs: ['linux'],
  withoutSeparation: 'It could change any decision of the gate while it runs.',
  varies: true,
})
const changingHost = forging({
  needs: ['linux', 'hookHost'],
  withoutSeparation: 'It could start other programs instead of hooks.',
  varies: true,
})
const readingOpen = forging({ needs: ['linux'], withoutSeparation: readingMeans, varies: true })
const plain = forging()

export const secretForgeries: readonly Forgery[] = [
  takingOver('secrets.key', 'read the ledger’s key', ({ home }) =>
    readAll([path.join(home, 'secrets', 'ledger.key')]),
  ),
  takingOver('secrets.folder', 'read all files in secrets/', ({ home }) =>
    readAll(filesUnder(path.join(home, 'secrets'))),
  ),
  reading('secrets.ledger', 'read the ledger', ({ home }) => readAll([path.join(home, 'ledger.jsonl')])),
  reading('secrets.store', 'read the store of messages and records, and the history of events', ({ home }) =>
    readAll(
      ['state.db', 'state.db-wal', 'history.db', 'history.db-wal'].map((name) => path.join(home, name)),
    ),
  ),
  readingEnvironment('secrets.environ', 'read the bot’s token in the gate’s environment', ({ gatePid }) =>
    open('the gate’s environment was read', environment(gatePid)),
  ),
  findingHooks('secrets.host_environ', 'read the environment of the hook host', ({ hookHostPid = 0 }) =>
    open('the hook host’s environment was read', environment(hookHostPid)),
  ),
  onLinux('secrets.own_environ', 'find a token in its own environment', () => ({
    ...done('its own environment was read'),
    read: environment('self'),
  })),
  readingMemory('secrets.memory', 'read the gate’s memory', ({ gatePid }) => memory(gatePid)),
  changingGate(
    'secrets.write_memory',
    'open the gate’s memory for writing, as a debugger does',
    ({ gatePid }) => mayWrite(`/proc/${gatePid}/mem`),
  ),
  changingHost('secrets.host_memory', 'open the hook host’s memory for writing', ({ hookHostPid = 0 }) =>
    mayWrite(`/proc/${hookHostPid}/mem`),
  ),
  readingOpen('secrets.open_files', 'reach the gate’s open files through /proc', openFiles),
  onLinux('secrets.left_open', 'read what whoever started the gate left open', () => {
    const { length } = inherited()
    return length === 0 ? refused('nothing was left open') : open(`${length} open files were left to it`)
  }),
  plain('secrets.disguised', 'write a secret in a form that your redaction does not read', async (target) => {
    const tool_result = disguises.map((disguise) => `This is one:\n\n${disguise}\n`).join('\n')
    const call = { session_id: 'attack', cwd: '/', tool_name: 'read', tool_input: {} }
    const path = '/v1/events/transform_tool_result'
    const { status, text } = await post(target, path, { ...call, tool_result }, { timeoutMs: 30_000 })
    const left = disguises.filter((disguise) => text.includes(disguise)).length
    return left > 0 ? open(`${left} of ${disguises.length} were not found`) : refused(`answered ${status}`)
  }),
]
