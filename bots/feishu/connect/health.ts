import { prose, type Prose } from '../../../src/core/model/chat/prose.ts'
import {
  createConnectionHealth,
  type ConnectionHealth,
  type CallRefusal,
} from '../../../src/shared/chat/connection.ts'

type AppTrouble = 'app' | 'rights' | 'address'

/** Source: the lists of error codes of "Obtain tenant access token" and "Common error codes". */
const appCodes: ReadonlySet<number> = new Set([10003, 10012, 10014, 10015, 20049, 99991543])
/** The list of allowed addresses in the security settings of the app does not have this machine. */
const refusedAddress = 99991401
const rightsCodes: ReadonlySet<number> = new Set([230006, 99991672, 99991679, 1000040343, 1000040344])

const troubleOf = ({ code }: CallRefusal): AppTrouble | 'away' => {
  if (appCodes.has(code)) return 'app'
  if (code === refusedAddress) return 'address'
  return rightsCodes.has(code) ? 'rights' : 'away'
}

export const createHealth = (ports: {
  elapsedMs(): number
  trouble(why: Prose, isBack: boolean): void
}): ConnectionHealth =>
  createConnectionHealth<AppTrouble>({
    ...ports,
    troubleOf,
    slow: ['app', 'rights', 'address'],
    texts: {
      app: prose`not connected, the id or the secret of the app is refused. Put both from the page "Credentials & Basic Info" of its developer console into the environment and start hookgate again.`,
      rights: prose`not connected, the app may not work as a bot. Add the feature "Bot" and the permissions of hookgate's Feishu page in the developer console, and publish a version of the app.`,
      address: prose`not connected, the address of this machine is refused. Add it to the list of allowed addresses in the security settings of the app.`,
      away: prose`not connected, it cannot be reached. hookgate keeps trying, and sends the waiting messages when it answers again.`,
    },
  })
