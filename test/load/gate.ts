/**
 * The whole gate as a process of its own, with one messenger that is reached over loopback: what it sends and
 * hears goes through `url`.
 */
import { loadConfig } from '../../src/config/load.ts'
import { assemble } from '../../src/main.ts'
import { PUSH_TYPES } from '../../src/core/model/chat/content.ts'
import type { Channel, ChannelPorts, Delivery, Message } from '../../src/core/model/chat/channel.ts'
import { spin } from '../stretched.ts'

const url = process.argv[2] ?? ''

const createLoop = (ports: ChannelPorts): Channel => {
  const stopped = new AbortController()
  const listen = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        const heard = (await (await fetch(`${url}/hear`)).json()) as readonly Message[]
        for (const message of heard) ports.receive(message)
      } catch {
        await new Promise((done) => setTimeout(done, 20))
      }
    }
  }
  return {
    name: 'loop',
    maxUnits: 4096,
    forms: PUSH_TYPES,
    hasButtons: false,
    start: async () => void listen(),
    stop: async () => stopped.abort(),
    deliver: async (outgoing): Promise<Delivery> => {
      if (!ports.isAdmitted(outgoing)) throw new Error('Expected a outgoing that came through the door.')
      try {
        const { status } = await fetch(`${url}/deliver`, { method: 'POST', body: JSON.stringify(outgoing) })
        if (status === 429) return { kind: 'retry', afterMs: 5, why: 'asked for less', isLimit: true }
        return status === 200 ? { kind: 'delivered' } : { kind: 'failed', why: `it answered ${status}` }
      } catch (error) {
        const { cause } = error as Error & { cause?: { code?: string } }
        return cause?.code === 'ECONNREFUSED'
          ? { kind: 'retry', afterMs: 20, why: 'away' }
          : { kind: 'unknown', why: 'the connection broke before the answer came' }
      }
    },
  }
}

/** What the sample below takes on an idle desktop, in milliseconds. */
const usualSampleMs = 0.5
const sample = (): number => {
  const from = process.threadCpuUsage()
  spin(250_000)
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / 1000
}

/**
 * How long the thread worked without a look at anything else, at most, and how many times slower than an idle
 * desktop it was meanwhile. In processor time: what else this machine does is not counted. Said on stdout
 * when SIGUSR2 comes, and then measured anew.
 */
let longestMs = 0
let samples: number[] = []
let before = process.threadCpuUsage()
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before)
  longestMs = Math.max(longestMs, (user + system) / 1000)
  samples.push(sample())
  before = process.threadCpuUsage()
}, 5).unref()
process.on('SIGUSR2', () => {
  const slowness = samples.reduce((sum, ms) => sum + ms, 0) / samples.length / usualSampleMs
  process.stdout.write(`pause ${longestMs.toFixed(1)} ${slowness.toFixed(2)}\n`)
  longestMs = 0
  samples = []
})

const running = await assemble(loadConfig(process.env), {
  log: () => undefined,
  channels: (ports) => [createLoop(ports)],
})
process.on('SIGTERM', () => void running.stop().finally(() => process.exit(0)))
process.stdout.write('ready\n')
