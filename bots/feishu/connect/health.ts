import type { CallFailure } from '../http/failure.ts'

const minDelayMs = 1000
const maxDelayMs = 60_000
/** Nobody corrects a secret within seconds, and more frequent calls would look like an attack on it. */
const refusedAppDelayMs = 5 * 60_000
/** Shorter outages are normal, for example while a server restarts, so the owner does not hear of them. */
const tellAwayAfterMs = 30_000

type AppTrouble = 'app' | 'rights' | 'address' | 'away'

/** Source: the lists of error codes of "Obtain tenant access token" and "Common error codes". */
const appCodes: ReadonlySet<number> = new Set([10003, 10012, 10014, 10015, 20049, 99991543])
/** The list of allowed addresses in the security settings of the app does not have this machine. */
const refusedAddress = 99991401
const rightsCodes: ReadonlySet<number> = new Set([230006, 99991672, 99991679, 1000040343, 1000040344])

const troubleOf = (failure: CallFailure): AppTrouble => {
  if (failure.kind !== 'refused') return 'away'
  if (appCodes.has(failure.code)) return 'app'
  if (failure.code === refusedAddress) return 'address'
  return rightsCodes.has(failure.code) ? 'rights' : 'away'
}

const troubleTexts = (name: string): Readonly<Record<AppTrouble, string>> => ({
  app: `${name} refused the id or the secret of the app, so no message arrives or leaves. Put both from the page "Credentials & Basic Info" of its developer console into the environment and start hookgate again.`,
  rights: `${name} does not let the app work as a bot, so no message arrives or leaves. Add the feature "Bot" and the permissions of hookgate's Feishu page in the developer console, and publish a version of the app.`,
  address: `${name} refuses the address of this machine, so no message arrives or leaves. Add it to the list of allowed addresses in the security settings of the app.`,
  away: `${name} cannot be reached. hookgate keeps trying and sends the waiting messages when ${name} answers again.`,
})

export interface Health {
  /** Call this when the connection stands. */
  reportSuccess(): void
  /** Call this when a connection failed or ended. Returns how long to wait before the next, in ms. */
  reportFailure(failure: CallFailure): number
}

/** Decides how long to wait between two connections, and tells the owner of each trouble once. */
export const createHealth = (ports: {
  /** The name of the platform. */
  readonly name: string
  elapsedMs(): number
  trouble(why: string, isBack: boolean): void
}): Health => {
  const texts = troubleTexts(ports.name)
  const told = new Set<AppTrouble>()
  let failures = 0
  let awaySinceMs: number | undefined

  const tell = (trouble: AppTrouble): void => {
    if (told.has(trouble)) return
    told.add(trouble)
    ports.trouble(texts[trouble], false)
  }

  return {
    reportSuccess: () => {
      failures = 0
      awaySinceMs = undefined
      if (told.size === 0) return
      told.clear()
      ports.trouble(`${ports.name} works again. Messages arrive and leave.`, true)
    },
    reportFailure: (failure) => {
      failures += 1
      const trouble = troubleOf(failure)
      if (trouble !== 'away') {
        awaySinceMs = undefined
        tell(trouble)
        return refusedAppDelayMs
      }
      awaySinceMs ??= ports.elapsedMs()
      if (ports.elapsedMs() - awaySinceMs >= tellAwayAfterMs) tell('away')
      return Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(failures - 1, 10))
    },
  }
}
