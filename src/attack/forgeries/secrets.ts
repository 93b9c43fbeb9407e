import fs from 'node:fs'
import path from 'node:path'
import { inherited } from '../../shared/base/process-group.ts'
import { disguises } from '../disguises.ts'
import { done, open, refused, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { ask, filesUnder, json, mayWrite, own, read, readAll, sha256 } from '../means.ts'

const takeover = 'It could sign as the gate, or command your bot.'
const readingMeans = 'It could read what you and others write, and what the gate knows.'

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

export const secretForgeries: readonly Forgery[] = [
  {
    name: 'secrets.key',
    title: 'read the ledger’s key',
    withoutSeparation: { meaning: takeover },
    attempt: ({ home }) => readAll([path.join(home, 'secrets', 'ledger.key')]),
  },
  {
    name: 'secrets.folder',
    title: 'read all files in secrets/',
    withoutSeparation: { meaning: takeover },
    attempt: ({ home }) => readAll(filesUnder(path.join(home, 'secrets'))),
  },
  {
    name: 'secrets.ledger',
    title: 'read the ledger',
    withoutSeparation: { meaning: readingMeans },
    attempt: ({ home }) => readAll([path.join(home, 'ledger.jsonl')]),
  },
  {
    name: 'secrets.store',
    title: 'read the store of messages and records, and the history of events',
    withoutSeparation: { meaning: readingMeans },
    attempt: ({ home }) =>
      readAll(
        ['state.db', 'state.db-wal', 'history.db', 'history.db-wal'].map((name) => path.join(home, name)),
      ),
  },
  {
    name: 'secrets.environ',
    title: 'read the bot’s token in the gate’s environment',
    needs: ['linux'],
    withoutSeparation: { meaning: takeover },
    attempt: ({ gatePid }) => open('the gate’s environment was read', environment(gatePid)),
  },
  {
    name: 'secrets.host_environ',
    title: 'read the environment of the hook host',
    needs: ['linux', 'hookHost'],
    withoutSeparation: { meaning: 'It could find the processes of hooks.' },
    attempt: ({ hookHostPid = 0 }) => open('the hook host’s environment was read', environment(hookHostPid)),
  },
  {
    name: 'secrets.own_environ',
    title: 'find a token in its own environment',
    needs: ['linux'],
    attempt: () => ({ ...done('its own environment was read'), read: environment('self') }),
  },
  {
    name: 'secrets.memory',
    title: 'read the gate’s memory',
    needs: ['linux'],
    withoutSeparation: { meaning: takeover, varies: true },
    attempt: ({ gatePid }) => memory(gatePid),
  },
  {
    name: 'secrets.write_memory',
    title: 'open the gate’s memory for writing, as a debugger does',
    needs: ['linux'],
    withoutSeparation: { meaning: 'It could change any decision of the gate while it runs.', varies: true },
    attempt: ({ gatePid }) => mayWrite(`/proc/${gatePid}/mem`),
  },
  {
    name: 'secrets.host_memory',
    title: 'open the hook host’s memory for writing',
    needs: ['linux', 'hookHost'],
    withoutSeparation: { meaning: 'It could start other programs instead of hooks.', varies: true },
    attempt: ({ hookHostPid = 0 }) => mayWrite(`/proc/${hookHostPid}/mem`),
  },
  {
    name: 'secrets.open_files',
    title: 'reach the gate’s open files through /proc',
    needs: ['linux'],
    withoutSeparation: { meaning: readingMeans, varies: true },
    attempt: openFiles,
  },
  {
    name: 'secrets.left_open',
    title: 'read what whoever started the gate left open',
    needs: ['linux'],
    attempt: () => {
      const { length } = inherited()
      return length === 0 ? refused('nothing was left open') : open(`${length} open files were left to it`)
    },
  },
  {
    name: 'secrets.disguised',
    title: 'write a secret in a form that your redaction does not read',
    timeoutMs: 40_000,
    attempt: async (target) => {
      const tool_result = disguises.map((disguise) => `This is one:\n\n${disguise}\n`).join('\n')
      const call = { session_id: 'attack', cwd: '/', tool_name: 'read', tool_input: {} }
      const { status, text } = await ask(own(target), {
        method: 'POST',
        path: '/v1/events/transform_tool_result',
        headers: json,
        body: JSON.stringify({ ...call, tool_result }),
        timeoutMs: 30_000,
      })
      const left = disguises.filter((disguise) => text.includes(disguise)).length
      return left > 0 ? open(`${left} of ${disguises.length} were not found`) : refused(`answered ${status}`)
    },
  },
]
