import { expect, test } from 'vitest'
import { traceSettingsOf } from '../../src/traces/settings.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

test.each([
  {},
  { OTEL_SERVICE_NAME: 'gate' },
  { ...endpoint, OTEL_SDK_DISABLED: 'true' },
  { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
])('nothing is traced with %o', (env) => {
  expect(traceSettingsOf(env)).toBeUndefined()
})

test.each([
  endpoint,
  { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' },
  { OTEL_TRACES_EXPORTER: 'otlp' },
])('all is traced, without what it was about, with %o', (env) => {
  expect(traceSettingsOf(env)).toEqual({
    hasContent: false,
    ratio: 1,
    batch: {
      scheduledDelayMillis: 5000,
      exportTimeoutMillis: 30_000,
      maxQueueSize: 2048,
      maxExportBatchSize: 512,
    },
  })
})

test('the variables of the specification choose the part, the content and the batches', () => {
  expect(
    traceSettingsOf({
      ...endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'TRUE',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BSP_MAX_QUEUE_SIZE: '10',
    }),
  ).toMatchObject({
    hasContent: true,
    ratio: 0.25,
    batch: { scheduledDelayMillis: 100, maxQueueSize: 10, maxExportBatchSize: 10 },
  })
  expect(traceSettingsOf({ ...endpoint, OTEL_TRACES_SAMPLER: 'always_off' })?.ratio).toBe(0)
})

test.each([
  [
    { OTEL_TRACES_EXPORTER: 'zipkin' },
    'Expected OTEL_TRACES_EXPORTER to be otlp or none, got "zipkin" (string).',
  ],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'Expected OTEL_EXPORTER_OTLP_PROTOCOL to be http/protobuf, got "grpc" (string).',
  ],
  [{ OTEL_TRACES_SAMPLER: 'toString' }, 'Expected OTEL_TRACES_SAMPLER to be one of always_on,'],
  [
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
    'Expected OTEL_TRACES_SAMPLER_ARG to be a number from 0 to 1, got "2" (string).',
  ],
  [
    { OTEL_BSP_MAX_QUEUE_SIZE: '1e9' },
    'Expected OTEL_BSP_MAX_QUEUE_SIZE to be a whole number from 1 to 100000, got "1e9" (string).',
  ],
])('%o is told as wrong', (env, message) => {
  expect(() => traceSettingsOf({ ...endpoint, ...env })).toThrow(message)
})
