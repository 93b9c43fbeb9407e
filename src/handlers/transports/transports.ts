import { HANDLER_TYPES, type HandlerType } from '../../core/model/hooks/entry.ts'
import { failedRun } from '../host/protocol.ts'
import type { Transport } from './transport.ts'

/** Combines all transports into one. A hook whose type has no transport in this gate gets a fault. */
export const createTransports = (
  kinds: Partial<Readonly<Record<HandlerType, Transport>>>,
): Required<Transport> => ({
  ask: (hook, payload, options) => {
    const transport = kinds[hook.entry.type]
    return transport === undefined
      ? Promise.resolve(
          failedRun(
            'host',
            `This gate asks no hooks of type ${hook.entry.type}. See "${hook.entry.type}" in gate.yaml.`,
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
