import { isObject, parseJson } from '../core/model/base/json.ts'
import type { StandingPasskey } from '../core/model/gate/passkey.ts'

export interface PasskeyUsesPorts {
  readonly passkeys: {
    all(): readonly (StandingPasskey & { readonly name: string })[]
    find(id: string): StandingPasskey | undefined
  }
  /** The text that `remember` stored last. */
  recall(): Promise<string | undefined>
  remember(uses: string): Promise<void>
  now(): number
  log(level: 'warn', what: string): void
}

/** How often the device of a passkey says that it was used, and when that was. */
interface Use {
  readonly counter: number
  readonly atMs: number
}

/** Lists the passkeys and remembers their uses, for commands and the web page. */
export const createPasskeyUses = (ports: PasskeyUsesPorts) => {
  const { passkeys } = ports
  let loading: Promise<Map<string, Use>> | undefined
  const load = async (): Promise<Map<string, Use>> => {
    const stored = parseJson((await ports.recall()) ?? '{}')
    return new Map(
      Object.entries(isObject(stored) ? stored : {}).flatMap(
        ([id, use]): readonly (readonly [string, Use])[] => {
          if (!isObject(use)) return []
          const { counter, atMs } = use
          return typeof counter === 'number' && typeof atMs === 'number' ? [[id, { counter, atMs }]] : []
        },
      ),
    )
  }
  /** The counters protect against copies only. When they cannot be read, each passkey counts from 0 again. */
  const uses = (): Promise<Map<string, Use>> =>
    (loading ??= load().catch(() => {
      ports.log('warn', 'the uses of the passkeys could not be read')
      return new Map()
    }))

  return {
    passkeys: async () => {
      const noted = await uses()
      return passkeys.all().map(({ id, name, owner, rpId, at }) => {
        return { name, owner, rpId, at, usedAtMs: noted.get(id)?.atMs }
      })
    },
    /** Notes a use, at once with its check. False when the device counts fewer uses than before. */
    noteUse: async (id: string, counter: number): Promise<boolean> => {
      const noted = await uses()
      const before = noted.get(id)?.counter ?? 0
      if (before > 0 && counter <= before) return false
      noted.set(id, { counter, atMs: ports.now() })
      for (const known of noted.keys()) if (passkeys.find(known) === undefined) noted.delete(known)
      await ports
        .remember(JSON.stringify(Object.fromEntries(noted)))
        .catch(() => ports.log('warn', 'the use of a passkey could not be saved'))
      return true
    },
  }
}
