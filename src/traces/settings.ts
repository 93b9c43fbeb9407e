import { got, ProblemError } from '../core/model/gate/problem.ts'

/** How spans are chosen, gathered and sent. The exporter reads the address and its headers itself. */
export interface TraceSettings {
  /** Spans also say what was judged and why. */
  readonly hasContent: boolean
  /** The part of events that is traced, from 0 to 1. */
  readonly ratio: number
  readonly batch: {
    readonly scheduledDelayMillis: number
    readonly exportTimeoutMillis: number
    readonly maxQueueSize: number
    readonly maxExportBatchSize: number
  }
}

type Env = Readonly<Record<string, string | undefined>>

const wrong = (variable: string, expected: string, came: string | undefined, fix: string): ProblemError =>
  new ProblemError({
    code: 'env.traces',
    message: `Expected ${variable} to be ${expected}, got ${got(came)}.`,
    fix,
  })

const numberOf = (env: Env, variable: string, otherwise: number, most: number): number => {
  const text = env[variable] || undefined
  if (text === undefined) return otherwise
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < 1 || value > most)
    throw wrong(
      variable,
      `a whole number from 1 to ${most}`,
      text,
      `Remove it to use the usual ${otherwise}.`,
    )
  return value
}

/** The samplers of the specification. A span of hookgate has no parent of another program. */
const samplers: Readonly<Record<string, 'on' | 'off' | 'ratio'>> = {
  always_on: 'on',
  parentbased_always_on: 'on',
  always_off: 'off',
  parentbased_always_off: 'off',
  traceidratio: 'ratio',
  parentbased_traceidratio: 'ratio',
}

const ratioOf = (env: Env): number => {
  const name = env['OTEL_TRACES_SAMPLER'] || 'always_on'
  const sampler = Object.hasOwn(samplers, name) ? samplers[name] : undefined
  if (sampler === undefined)
    throw wrong('OTEL_TRACES_SAMPLER', `one of ${Object.keys(samplers).join(', ')}`, name, 'Correct it.')
  if (sampler !== 'ratio') return sampler === 'on' ? 1 : 0
  const text = env['OTEL_TRACES_SAMPLER_ARG'] || '1'
  const ratio = Number(text)
  if (!/^[\d.]{1,20}$/.test(text) || !(ratio >= 0 && ratio <= 1))
    throw wrong('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1', text, 'Write 0.1 to trace a tenth.')
  return ratio
}

const isTrue = (text: string | undefined): boolean => text?.toLowerCase() === 'true'

/**
 * What the variables of OpenTelemetry ask for. Undefined: no traces, as long as no address is named. Throws a
 * ProblemError where a variable asks for something that hookgate cannot do.
 */
export const traceSettingsOf = (env: Env): TraceSettings | undefined => {
  const exporter = env['OTEL_TRACES_EXPORTER'] || undefined
  const isNamed =
    exporter !== undefined ||
    Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
  if (!isNamed || exporter === 'none' || isTrue(env['OTEL_SDK_DISABLED'])) return undefined
  if (exporter !== undefined && exporter !== 'otlp')
    throw wrong(
      'OTEL_TRACES_EXPORTER',
      'otlp or none',
      exporter,
      'Send the traces to a collector, which can pass them on.',
    )
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL']
  if (protocol && protocol !== 'http/protobuf')
    throw wrong(
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'http/protobuf',
      protocol,
      'Name the port of the collector that takes OTLP over HTTP, which is usually 4318.',
    )
  const maxQueueSize = numberOf(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 2048, 100_000)
  return {
    hasContent: isTrue(env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']),
    ratio: ratioOf(env),
    batch: {
      scheduledDelayMillis: numberOf(env, 'OTEL_BSP_SCHEDULE_DELAY', 5000, 600_000),
      exportTimeoutMillis: numberOf(env, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000, 600_000),
      maxQueueSize,
      maxExportBatchSize: Math.min(
        maxQueueSize,
        numberOf(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 100_000),
      ),
    },
  }
}
