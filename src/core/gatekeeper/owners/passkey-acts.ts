import { isObject, parseJson } from '../../model/base/json.ts'
import type { Passkey } from '../../model/gate/passkey.ts'
import type { Acted } from '../../model/gate/problem.ts'
import type { Consent } from '../../model/gate/consent.ts'
import type { Consents } from './consents.ts'
import { passkeyName, type PasskeyAct, type Passkeys } from './passkeys.ts'

export interface PasskeyActPorts {
  readonly passkeys: Passkeys
  readonly ownerOf: Consents['ownerOf']
  /** The text that `remember` stored last. */
  recall(): Promise<string | undefined>
  remember(uses: string): Promise<void>
  /** Records the act and its outcome in the history. The ledger is written separately. */
  record(subject: string, by: string, outcome: 'done' | 'refused', what: string | undefined): void
  now(): number
  log(level: 'warn', what: string): void
}

/** How often the device of a passkey says that it was used, and when that was. */
interface Use {
  readonly counter: number
  readonly atMs: number
}

/** Lists the passkeys, changes them, and remembers their uses, for commands and the web page. */
export const createPasskeyActs = (ports: PasskeyActPorts) => {
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
      return passkeys.all().map(({ id, owner, rpId, at }) => {
        return { name: passkeyName(id), owner, rpId, at, usedAtMs: noted.get(id)?.atMs }
      })
    },
    removePasskey: async (name: string, consent: Consent): Promise<Acted<{ readonly owner: string }>> => {
      const by = ports.ownerOf(consent)
      const removed = await passkeys.remove(name, by)
      const what = removed.ok ? `the passkey ${name} of ${removed.passkey.owner}` : removed.problem.code
      ports.record('/passkeys remove', by, removed.ok ? 'done' : 'refused', what)
      return removed.ok ? { ok: true, owner: removed.passkey.owner } : removed
    },
    addPasskey: async (passkey: Passkey): Promise<PasskeyAct> => {
      const added = await passkeys.add(passkey)
      const what = added.ok ? `the passkey ${passkeyName(passkey.id)}` : added.problem.code
      ports.record('/login', passkey.owner, added.ok ? 'done' : 'refused', what)
      return added
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
