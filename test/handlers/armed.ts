import type { ArmedHook, Entry } from '../../src/core/model/hooks/entry.ts'
import { contractOf, type EventName } from '../../src/core/model/events/event.ts'
import { deepFreeze, type JsonObject } from '../../src/core/model/base/json.ts'
import { payloadOf, type Payload } from '../../src/core/model/events/payload.ts'

/** A hook in force. Its name is its fingerprint too, unless `rest` says otherwise. */
export const armed = (
  name: string,
  entry: Partial<Entry> = {},
  rest: Partial<ArmedHook> = {},
): ArmedHook => ({
  fingerprint: name,
  entry: {
    event: 'on_outbound_message',
    type: 'command',
    command: `./${name}.sh`,
    args: [],
    timeoutMs: 20_000,
    onError: 'warn',
    priority: 100,
    isAsync: false,
    env: {},
    files: [],
    origin: 'config/shell_hooks.yaml',
    name,
    ...entry,
  },
  argv: [`./${name}.sh`],
  cwd: '/',
  workspace: '/workspace',
  hookDir: '/',
  checkSeal: () => undefined,
  ...rest,
})

/**
 * An event as the dispatcher hands it over: the table's samples, with these fields in their place, frozen.
 */
export const eventOf = (event: EventName, fields: JsonObject = {}): Payload =>
  deepFreeze(
    payloadOf(
      event,
      { event_id: 'e1', timestamp: '2030-01-01T00:00:00.000Z', session_id: 's', agent_id: 'a', cwd: '/' },
      structuredClone({ ...contractOf(event).fields, ...fields }),
    ),
  )

export const textIn = (payload: Payload, field: string): string => {
  const text = payload[field]
  if (typeof text !== 'string') throw new Error(`Expected a text in "${field}", got ${JSON.stringify(text)}.`)
  return text
}
