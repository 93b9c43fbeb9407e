import { once } from 'node:events'
import { createServer } from 'node:http'
import protobuf from 'protobufjs'

/** The part of OTLP's messages that spans of hookgate use, by the numbers of the specification. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    int32 kind = 6;
    fixed64 start_time_unix_nano = 7;
    fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9;
    Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; Value value = 2; }
  message Value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
`)
const request = root.lookupType('Request')

export type Attributes = Readonly<Record<string, unknown>>
export interface ReceivedSpan {
  readonly id: string
  readonly traceId: string
  readonly parentId: string
  readonly name: string
  /** In the numbers of the specification: 1 is internal, 3 is a client. */
  readonly kind: number
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly isError: boolean
  readonly resource: Attributes
}

/** A message as protobuf gives it: what has its usual value is absent. */
interface Pair {
  readonly key: string
  readonly value: Attributes
}
interface RawSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes?: readonly Pair[]
  readonly status?: { readonly code?: number }
}
interface RawRequest {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes?: readonly Pair[] }
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[]
  }[]
}

const attributesOf = (pairs: readonly Pair[] = []): Attributes =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansOf = (body: Uint8Array): readonly ReceivedSpan[] => {
  const decoded: RawRequest = request.toObject(request.decode(body), { longs: String, bytes: String })
  return (decoded.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        id: span.spanId,
        traceId: span.traceId,
        parentId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
        attributes: attributesOf(span.attributes),
        isError: span.status?.code === 2,
        resource: attributesOf(resource.attributes),
      })),
  )
}

/** A collector on loopback that takes spans by OTLP over HTTP, and keeps them. */
export const startCollector = async () => {
  const spans: ReceivedSpan[] = []
  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const isTraces = incoming.method === 'POST' && incoming.url === '/v1/traces'
      if (isTraces) spans.push(...spansOf(Buffer.concat(chunks)))
      answer.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    spans,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
