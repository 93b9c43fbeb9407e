import { fixed, prose } from '../model/prose.ts'
import type { Finding } from './check.ts'

const maxTold = 5

/** What agents behind a bridge told the gate since its start that it does not know: they are newer than it. */
export const bridgeFindings = (strangers: readonly { readonly client: string; readonly event: string; readonly count: number }[]): readonly Finding[] => [
  ...strangers.slice(0, maxTold).map(({ client, event, count }): Finding => ({
    level: 'warn', text: prose`${client} sent an event ${event} that this hookgate does not know${fixed(count === 1 ? '' : ` (${count} times)`)}. It passed unjudged. → Update hookgate.`,
  })),
  ...(strangers.length > maxTold ? [{ level: 'warn' as const, text: fixed(`There were ${strangers.length - maxTold} more events that this hookgate does not know.`) }] : []),
]
