import { fixed, prose } from '../model/chat/prose.ts'
import type { Finding } from './check.ts'

const maxTold = 5

export interface BridgeFacts {
  /** Events that agents behind a bridge sent since the gate started, and that this gate does not know. */
  readonly strangers: readonly { readonly client: string; readonly event: string; readonly count: number }[]
  /** The port for HTTP hooks, when another program is using it. */
  readonly takenPort: number | undefined
}

/** The findings about agents behind a bridge. */
export const bridgeFindings = ({ strangers, takenPort }: BridgeFacts): readonly Finding[] => [
  ...(takenPort === undefined
    ? []
    : [
        {
          level: 'warn' as const,
          text: fixed(
            `Another program is using port ${takenPort}. It answers HTTP hooks in place of the gate, and it receives the agents' token. → Stop that program, or set another port in gate.yaml (bridge: {http: {port: …}}) and install the bridge again. Then restart hookgate.`,
          ),
        },
      ]),
  ...strangers.slice(0, maxTold).map(({ client, event, count }): Finding => ({
    level: 'warn',
    text: prose`${client} sent the event ${event}${fixed(count === 1 ? '' : ` ${count} times`)}. This hookgate does not know it, so no hook judged it. → Update hookgate.`,
  })),
  ...(strangers.length > maxTold
    ? [
        {
          level: 'warn' as const,
          text: fixed(`There were ${strangers.length - maxTold} more unknown events.`),
        },
      ]
    : []),
]
