import { HANDLER_TYPES, type HandlerType } from '../../model/hooks/entry.ts'
import { failedRun } from '../host/protocol.ts'
import type { Transport } from './transport.ts'

/** All ways to reach a handler as one. A kind that this gate was not given is a fault of its hooks, told as such. */
export const createTransports = (
  kinds: Partial<Readonly<Record<HandlerType, Transport>>>,
): Required<Transport> => ({
  ask: (hook, payload, options) => {
    const transport = kinds[hook.entry.type]
    return transport === undefined
      ? Promise.resolve(
          failedRun(
            'host',
            `Expected a way to reach a hook of type ${hook.entry.type}, got none; see "${hook.entry.type}" in gate.yaml.`,
          ),
        )
      : transport.ask(hook, payload, options)
  },
  retire: (live) => {
    for (const type of HANDLER_TYPES) kinds[type]?.retire?.(live)
  },
  stop: async () => {
    for (const type of HANDLER_TYPES) await kinds[type]?.stop?.()
  },
})
