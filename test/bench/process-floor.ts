/**
 * The floor of asking a resident program: a process that does nothing else keeps the program of argv[2..]
 * behind two pipes, writes it the line of each message that it gets, and tells how many microseconds its
 * answer took.
 */
import { spawn } from 'node:child_process'

const [program = '', ...args] = process.argv.slice(2)
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
let from = 0
let answer = ''
child.stdout.on('data', (chunk: Buffer) => {
  answer += chunk.toString()
  if (!answer.endsWith('\n')) return
  process.send?.({ us: (performance.now() - from) * 1000, answer })
  answer = ''
})
process.on('message', (line) => {
  from = performance.now()
  child.stdin.write(String(line))
})
process.on('disconnect', () => child.kill('SIGKILL'))
