import { prose, verbatim, type Prose } from '../core/model/chat/prose.ts'
import { warn, type Finding } from './check.ts'

const maxTold = 5

export interface BridgeFacts {
  /** Events that agents behind a bridge sent since the gate started, and that this gate does not know. */
  readonly strangers: readonly { readonly client: string; readonly event: string; readonly count: number }[]
  /** The port for HTTP hooks, when another program is using it. */
  readonly takenPort: number | undefined
  /** Settings of this machine by which clients skip the hooks of hookgate. */
  readonly switchedOff: readonly {
    readonly client: string
    readonly title: string
    readonly file: string
    readonly setting: string
    /** Only hooks of the administrator's file still run. */
    readonly isManagedOnly: boolean
  }[]
}

const strangerText = ({ client, event, count }: BridgeFacts['strangers'][number]): Prose =>
  count === 1
    ? prose`${client} sent the event ${event}. This hookgate does not know it, so no hook judged it. → Update hookgate.`
    : prose`${client} sent the event ${event} ${count} times. This hookgate does not know it, so no hook judged it. → Update hookgate.`

const switchedOffText = ({
  client,
  title,
  file,
  setting,
  isManagedOnly,
}: BridgeFacts['switchedOff'][number]): Prose =>
  isManagedOnly
    ? prose`${title} skips the hooks of hookgate, because ${verbatim(file)} has ${verbatim(setting)}. → Run sudo hookgate bridge install ${client} --managed, or remove the setting.`
    : prose`${title} skips all hooks, because ${verbatim(file)} has ${verbatim(setting)}. → Remove the setting.`

/** What it means that another program holds the port of HTTP hooks. */
export const takenText = (port: number): Prose =>
  prose`Another program is using port ${port}. It answers HTTP hooks in place of the gate, and it receives the agents' token. Agents that call HTTP hooks are refused or not judged until it is gone. The gate tries again every few seconds. → Stop that program. Or use no HTTP: hookgate bridge install claude-code`

/** The findings about agents behind a bridge. */
export const bridgeFindings = ({ strangers, takenPort, switchedOff }: BridgeFacts): readonly Finding[] => [
  ...switchedOff.map((off) => warn(switchedOffText(off))),
  ...(takenPort === undefined ? [] : [warn(takenText(takenPort))]),
  ...strangers.slice(0, maxTold).map((stranger) => warn(strangerText(stranger))),
  ...(strangers.length > maxTold
    ? [warn(prose`There were ${strangers.length - maxTold} more unknown events.`)]
    : []),
]
