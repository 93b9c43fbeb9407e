import { version } from '../config/version.ts'
import { messageOf, ProblemError } from '../core/model/gate/problem.ts'
import type { Permissions } from '../permissions/permissions.ts'
import type { Base } from './base.ts'
import type { GateChapter } from './gate.ts'
import type { Outbound } from './outbound.ts'

/** Counts for a Prometheus server, where gate.yaml asks for it. */
const startMetrics = async (
  { config, life, log }: Base,
  { state }: GateChapter,
  { dispatcher }: Outbound,
  permissions: Permissions,
): Promise<void> => {
  if (config.metrics === undefined) return
  // The library takes memory, so a gate without metrics does not load it.
  const { createMetrics } = await import('../metrics/metrics.ts')
  const { serveMetrics } = await import('../metrics/server.ts')
  const metrics = createMetrics({
    outboxWaiting: () => dispatcher.waiting().reduce((sum, { count }) => sum + count, 0),
    questionsWaiting: () => permissions.waiting().length,
    ledgerRevision: () => state().revision,
    isOn: () => state().isOn,
    isInLockdown: () => state().lockdown !== undefined,
  })
  const server = await serveMetrics(metrics, config.metrics.port, log)
  life.onStop(server.stop, dispatcher.onJudged(metrics.count))
}

const tracePackages =
  '@opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/exporter-trace-otlp-proto'

/** Sends traces to a collector, where variables of OpenTelemetry ask for it. */
const startTracing = async (
  { config, life, log, now, elapsedMs }: Base,
  { dispatcher }: Outbound,
): Promise<void> => {
  if (config.traces === undefined) return
  const { startTraces } = await import('../traces/start.ts').catch((error: unknown): never => {
    throw new ProblemError({
      code: 'traces.packages',
      message: `Expected the packages for traces to be installed beside hookgate, got: ${messageOf(error)}.`,
      fix: `Run npm install --global ${tracePackages} (in a project without --global), or unset OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_TRACES_EXPORTER.`,
    })
  })
  const traces = startTraces(config.traces, version(), { log, now, elapsedMs })
  life.onStop(traces.stop, dispatcher.onJudged(traces.judged))
}

/** The chapter that tells other programs what the gate does. */
export const startTelemetry = async (
  base: Base,
  gate: GateChapter,
  outbound: Outbound,
  permissions: Permissions,
): Promise<void> => {
  await startMetrics(base, gate, outbound, permissions)
  await startTracing(base, outbound)
}
