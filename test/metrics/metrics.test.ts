import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/metrics/metrics.ts'
import type { RecordedHook } from '../../src/core/model/hooks/verdict.ts'
import { eventOf } from '../handlers/armed.ts'
import { verdictOn } from '../verdict.ts'

const gate = {
  outboxWaiting: () => 2,
  questionsWaiting: () => 3,
  ledgerRevision: () => 41,
  isOn: () => false,
  isInLockdown: () => true,
}
const payload = eventOf('pre_tool_call', { tool_name: 'bash', tool_input: { command: 'ls' } })
const hook = (label: string, more: Partial<RecordedHook> = {}): RecordedHook => ({
  fingerprint: label,
  label,
  fired: true,
  why: 'matched',
  durationMs: 3,
  answer: { kind: 'abstain', notes: [] },
  ...more,
})

test('hooks are counted by name, a failure beside its time, and a hook that was not asked is no line', async () => {
  const metrics = createMetrics(gate)
  const fault = { kind: 'fault', notes: [], fault: { kind: 'timeout', detail: 'late' } } as const
  const hooks = [hook('./a.sh'), hook('./a.sh', { answer: fault }), hook('./b.sh', { fired: false })]
  metrics.count(payload, { ...verdictOn(payload, 'allow', 1), hooks })
  const text = await metrics.text()
  expect(text).toContain('hookgate_hook_duration_seconds_bucket{le="0.002",hook="./a.sh"} 0')
  expect(text).toContain('hookgate_hook_duration_seconds_bucket{le="0.01",hook="./a.sh"} 2')
  expect(text).toContain('hookgate_hook_faults_total{hook="./a.sh"} 1')
  expect(text).not.toContain('b.sh')
  for (const line of ['outbox_waiting 2', 'questions_waiting 3', 'ledger_revision 41', 'on 0', 'lockdown 1'])
    expect(text).toContain(`\nhookgate_${line}\n`)
})

test('ten thousand hooks and a hostile name stay bounded, and each line stays one line', async () => {
  const metrics = createMetrics(gate)
  const hostile = `"} 1\nforged_total 9\n${'x'.repeat(1_000_000)}`
  const hooks = [hook(hostile), ...Array.from({ length: 10_000 }, (_, at) => hook(`./hook-${at}.sh`))]
  metrics.count(payload, { ...verdictOn(payload, 'allow', 1), hooks })
  const text = await metrics.text()
  expect(text.length).toBeLessThan(400_000)
  expect(text).not.toMatch(/^forged_total/m)
  expect(text).toContain('hook="others"} 9801')
})

test('the page and the dashboard name the figures that there are, and no other', async () => {
  const text = await createMetrics(gate).text()
  const there = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name).toSorted()
  expect(there).toHaveLength(8)
  for (const file of ['README.md', 'grafana.json']) {
    const page = readFileSync(resolve(import.meta.dirname, '../../config/service', file), 'utf8')
    const named = [...page.matchAll(/\bhookgate_(?:\w+?)(?=_bucket\b|\b)/g)].map(([name]) => name)
    expect([...new Set(named)].toSorted(), file).toEqual(there)
  }
})
