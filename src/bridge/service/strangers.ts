import type { ClientName } from '../../shared/gate/client.ts'

/** An event of a client that hookgate does not know, and how often it came since the start. */
export interface Stranger {
  readonly client: ClientName
  readonly event: string
  readonly count: number
}

const maxStrangers = 100

/** Counts unknown events. At most `maxStrangers` are stored, and further ones are ignored. */
export const createStrangers = () => {
  const strangers = new Map<string, Stranger>()
  return {
    meet: (client: ClientName, event: string): void => {
      const key = `${client} ${event}`
      const known = strangers.get(key)
      if (known !== undefined || strangers.size < maxStrangers)
        strangers.set(key, { client, event, count: (known?.count ?? 0) + 1 })
    },
    all: (): readonly Stranger[] => [...strangers.values()],
  }
}
