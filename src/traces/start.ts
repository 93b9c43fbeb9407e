import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { Clock } from '../core/model/base/clock.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import { createTraces, type Traces } from './traces.ts'
import type { TraceSettings } from './settings.ts'

/** A collector that does not answer holds up a stop for no longer. */
const lastMs = 2000
/** A collector that is away is told so often. */
const tellMs = 60_000

export interface SentTraces extends Traces {
  /** Sends what waits. Never rejects. */
  stop(): Promise<void>
}

/** Sends spans to the collector that the environment names. */
export const startTraces = (
  settings: TraceSettings,
  version: string,
  { log, ...clock }: Clock & Pick<ChannelPorts, 'log'>,
): SentTraces => {
  const otlp = new OTLPTraceExporter()
  let quietUntilMs = 0
  const exporter: SpanExporter = {
    export: (spans, done) =>
      otlp.export(spans, (result) => {
        if (result.error !== undefined && clock.elapsedMs() >= quietUntilMs) {
          quietUntilMs = clock.elapsedMs() + tellMs
          log('warn', 'could not send traces to the collector', { error: result.error.message })
        }
        done(result)
      }),
    shutdown: () => otlp.shutdown(),
  }
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'hookgate', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new TraceIdRatioBasedSampler(settings.ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...settings.batch })],
  })
  return {
    ...createTraces(provider.getTracer('hookgate', version), clock, settings),
    stop: () =>
      Promise.race([
        provider.shutdown().catch(() => undefined),
        new Promise<void>((done) => void setTimeout(done, lastMs).unref()),
      ]),
  }
}
