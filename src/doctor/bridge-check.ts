import { fixed, prose } from '../model/chat/prose.ts'
import type { Finding } from './check.ts'

const maxTold = 5

export interface BridgeFacts {
  /** What agents behind a bridge told the gate since its start that it does not know: they are newer than it. */
  readonly strangers: readonly { readonly client: string; readonly event: string; readonly count: number }[]
  /** The port of HTTP hooks, where another program has it. */
  readonly takenPort: number | undefined
}

/** What an owner has to know of agents behind a bridge. */
export const bridgeFindings = ({ strangers, takenPort }: BridgeFacts): readonly Finding[] => [
  ...(takenPort === undefined
    ? []
    : [
        {
          level: 'warn' as const,
          text: fixed(
            `Another program has port ${takenPort}: it answers agents that call HTTP hooks in place of the gate, and gets their token. → Find out which it is and end it, or name another port in gate.yaml (bridge: {http: {port: …}}) and install the bridge anew. Then start hookgate again.`,
          ),
        },
      ]),
  ...strangers.slice(0, maxTold).map(({ client, event, count }): Finding => ({
    level: 'warn',
    text: prose`${client} sent an event ${event} that this hookgate does not know${fixed(count === 1 ? '' : ` (${count} times)`)}. It passed unjudged. → Update hookgate.`,
  })),
  ...(strangers.length > maxTold
    ? [
        {
          level: 'warn' as const,
          text: fixed(
            `There were ${strangers.length - maxTold} more events that this hookgate does not know.`,
          ),
        },
      ]
    : []),
]
