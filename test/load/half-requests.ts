/**
 * A stranger as a process: it keeps many connections that said half of a request, and comes back each time.
 */
import { connect } from 'node:net'

const [port = 0, count = 0] = process.argv.slice(2).map(Number)
let met = 0

const visit = (): void => {
  const socket = connect(port, '127.0.0.1')
  socket.on('connect', () => {
    met++
    if (met === count) process.stdout.write('ready\n')
  })
  socket.on('error', () => undefined).on('close', () => setTimeout(visit, 50))
  socket.write('POST / HT')
}
for (let at = 0; at < count; at++) visit()
