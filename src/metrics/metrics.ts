import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Payload } from '../core/model/events/payload.ts'
import type { Verdict } from '../core/model/hooks/verdict.ts'

/** What a gate holds at the moment when it is asked. */
export interface GateGauges {
  /** The pushes that wait to leave. */
  outboxWaiting(): number
  /** The questions to owners without an answer. */
  questionsWaiting(): number
  ledgerRevision(): number
  isOn(): boolean
  isInLockdown(): boolean
}

export interface Metrics {
  /** Counts an event that was judged, and the hooks that were asked about it. */
  count(payload: Payload, verdict: Verdict): void
  /** All figures in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>
}

/** In seconds: from a resident hook, over a process, to a model. */
const buckets = [0.0005, 0.002, 0.01, 0.05, 0.2, 1, 5, 20]
/** More hooks than these share the name "others", because each one has a line for each bucket. */
const maxHooks = 200
const maxNameUnits = 120

/** Counts what the gate does, for a Prometheus server. */
export const createMetrics = (gate: GateGauges): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  const events = new Counter({
    name: 'hookgate_events_total',
    help: 'Events that were judged.',
    labelNames: ['event', 'verdict'],
    registers,
  })
  const durations = new Histogram({
    name: 'hookgate_hook_duration_seconds',
    help: 'The time until a hook answered.',
    labelNames: ['hook'],
    buckets,
    registers,
  })
  const faults = new Counter({
    name: 'hookgate_hook_faults_total',
    help: 'Answers of hooks that failed: by a crash, a timeout or an answer that cannot be read.',
    labelNames: ['hook'],
    registers,
  })
  const gauge = (name: string, help: string, value: () => number): void =>
    void new Gauge({
      name: `hookgate_${name}`,
      help,
      registers,
      collect() {
        this.set(value())
      },
    })
  gauge('outbox_waiting', 'Pushes that wait to leave.', gate.outboxWaiting)
  gauge('questions_waiting', 'Questions to owners without an answer.', gate.questionsWaiting)
  gauge('ledger_revision', 'The number of the last act in the ledger.', gate.ledgerRevision)
  gauge('on', '1 while the switch is on.', () => (gate.isOn() ? 1 : 0))
  gauge('lockdown', '1 in lockdown.', () => (gate.isInLockdown() ? 1 : 0))

  const named = new Set<string>()
  const nameOf = (label: string): string => {
    const name = label.slice(0, maxNameUnits).toWellFormed()
    if (named.size < maxHooks) named.add(name)
    return named.has(name) ? name : 'others'
  }
  return {
    count: ({ event }, { verdict, hooks }) => {
      events.inc({ event, verdict })
      for (const { fired, label, durationMs, answer } of hooks) {
        if (!fired) continue
        const hook = nameOf(label)
        if (durationMs !== undefined) durations.observe({ hook }, durationMs / 1000)
        if (answer?.kind === 'fault') faults.inc({ hook })
      }
    },
    text: () => registry.metrics(),
  }
}
