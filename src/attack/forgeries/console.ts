import { execa } from 'execa'
import fs from 'node:fs'
import path from 'node:path'
import { done, forging, open, refused, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { read, sha256 } from '../means.ts'

const wayIn = 'It could open your page with the login that the console shows.'

const loginsIn = (text: string): readonly string[] =>
  [...text.matchAll(/#([\w-]{20,200})/g)].map(([, login = '']) => sha256(login))

/** Returns the hashes of the logins in a file, or none where it cannot be read. */
const loginsAt = (file: string): readonly string[] => {
  try {
    return loginsIn(read(file).toString())
  } catch {
    return []
  }
}

/** Returns the terminal at which the gate was started, if there was one. */
const terminalOf = ({ gatePid }: Target): string | undefined => {
  try {
    const link = fs.readlinkSync(`/proc/${gatePid}/fd/0`)
    return link.startsWith('/dev/') && link !== '/dev/null' ? link : undefined
  } catch {
    // The device number is in a file that everybody may read. pts 0 to 255 have the major number 136.
    const stat = fs.readFileSync(`/proc/${gatePid}/stat`, 'utf8')
    const device = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[4])
    return device >> 8 === 136 ? `/dev/pts/${device & 0xff}` : undefined
  }
}

const pressEnter =
  'import fcntl, os, sys, termios\nfd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)\nfcntl.ioctl(fd, termios.TIOCSTI, b"\\n")\n'

const throughTerminal = async (target: Target): Promise<ForgeryReport> => {
  const terminal = terminalOf(target)
  if (terminal === undefined) return refused('the console is not a terminal')
  try {
    await execa('python3', ['-c', pressEnter, terminal], { timeout: 3000 })
    return open(`a key was pressed at ${terminal}`)
  } catch {
    return refused('the terminal accepts no key from it')
  }
}

const onConsole = forging({ needs: ['console'], withoutSeparation: wayIn })
const onProc = forging({ needs: ['linux'], withoutSeparation: wayIn })
const onInput = forging({ needs: ['linux'], withoutSeparation: wayIn, varies: true })
const onLinux = forging({ needs: ['linux'] })
const onOutput = forging({
  needs: ['linux'],
  withoutSeparation: 'It could show you an address of its own there.',
})

export const consoleForgeries: readonly Forgery[] = [
  onConsole(
    'console.file',
    'read the login in the file that gets the console’s output, or in secrets/login',
    ({ console = '', home }) => ({
      ...done('the file was read'),
      read: [console, path.join(home, 'secrets', 'login')].flatMap(loginsAt),
    }),
  ),
  onProc('console.output', 'read the console through /proc', ({ gatePid }) => {
    const link = `/proc/${gatePid}/fd/1`
    const logins = fs.statSync(link).isFile() ? loginsIn(read(link).toString()) : []
    return open('the console’s output can be opened', logins)
  }),
  onInput('console.enter', 'press Enter at the console through /proc', ({ gatePid }) => {
    const fd = fs.openSync(`/proc/${gatePid}/fd/0`, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)
    try {
      fs.writeSync(fd, '\n')
      return open('Enter was pressed')
    } finally {
      fs.closeSync(fd)
    }
  }),
  onLinux('console.key', 'press Enter at the terminal (TIOCSTI)', throughTerminal),
  onOutput('console.words', 'write words of its own to the console', (target) => {
    const file = terminalOf(target) ?? target.console ?? `/proc/${target.gatePid}/fd/1`
    fs.closeSync(
      fs.openSync(
        file,
        fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY,
      ),
    )
    return open('the console can be written to')
  }),
]
