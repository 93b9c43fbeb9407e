import type { Permissions } from '../permissions/permissions.ts'
import type { Base } from './base.ts'
import type { Gate } from './gate.ts'
import type { Outbound } from './outbound.ts'

/** The chapter that counts for a Prometheus server, where gate.yaml asks for it. */
export const startMetrics = async (
  { config, life, log }: Base,
  { state }: Gate,
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
