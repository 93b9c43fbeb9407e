/**
 * A whole gate for the fuzzer, as a process of its own: it says where it listens, and how it fares when it is
 * asked.
 */
import { loadConfig } from '../../src/config/load.ts'
import { assemble } from '../../src/main.ts'
import { heldHere } from './held.ts'
import { watchTurns } from './turns.ts'

const turns = watchTurns()
const config = loadConfig(process.env)
const running = await assemble({ ...config, bridge: { ...config.bridge, port: 0 } }, { log: () => undefined })
turns.longestMs()

process.on('message', () => {
  void heldHere().then((heldBytes) => process.send?.({ heldBytes, longestTurnMs: turns.longestMs() }))
})
process.on('disconnect', () => void running.stop().finally(() => process.exit(0)))
process.send?.({ port: Number(new URL(running.invite().login).port) })
