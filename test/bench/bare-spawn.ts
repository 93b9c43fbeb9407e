/**
 * The floor of asking a hook: a process that does nothing else starts the program argv[2] once for each
 * message that it gets, with that message as stdin, and tells how many microseconds it took until its output
 * had ended.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const [program = ''] = process.argv.slice(2)

process.on('message', (stdin) => {
  const from = performance.now()
  const child = spawn(program, [], { stdio: 'pipe' })
  const answer: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => answer.push(chunk))
  child.stdin.end(String(stdin))
  void once(child, 'close').then(() =>
    process.send?.({ us: (performance.now() - from) * 1000, answer: Buffer.concat(answer).toString() }),
  )
})
