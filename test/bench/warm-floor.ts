/**
 * The floor of asking a program that waits: a process that does nothing else keeps one instance of the
 * program argv[2] at its stdin, gives it each message that it gets, and tells how many microseconds it took
 * until its output had ended. Each message is the last one of its instance; the next one is started behind
 * the answer.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'

const [program = ''] = process.argv.slice(2)
const start = (): ChildProcessWithoutNullStreams => spawn(program, [], { stdio: 'pipe' })
let child = start()

process.on('message', (stdin) => {
  const from = performance.now()
  const answer: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => answer.push(chunk))
  child.stdin.end(String(stdin))
  void once(child, 'close').then(() => {
    process.send?.({ us: (performance.now() - from) * 1000, answer: Buffer.concat(answer).toString() })
    child = start()
  })
})
process.on('disconnect', () => child.kill('SIGKILL'))
