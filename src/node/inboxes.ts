import type { InboxLine } from '../shared/events/inbox-line.ts'

/** The agents of this machine that listen to what the gate tells them. */
export interface Inboxes {
  /** Gives an agent its lines from now on. Returns the end of it. */
  follow(agent: string, send: (line: InboxLine) => void): () => void
  /** Gives a line to the agent that listens under this number, if it still does. */
  take(number: number, line: InboxLine): void
  /** Which agents listen, each with the number under which it does. */
  listening(): Readonly<Record<string, number>>
  /** Calls this when an agent begins or ends to listen, until it is set anew. */
  onChange(changed: () => void): void
}

export const createInboxes = (): Inboxes => {
  const open = new Map<number, { readonly agent: string; readonly send: (line: InboxLine) => void }>()
  let last = 0
  let changed = (): void => undefined
  return {
    follow: (agent, send) => {
      const number = ++last
      open.set(number, { agent, send })
      changed()
      return () => {
        if (open.delete(number)) changed()
      }
    },
    take: (number, line) => open.get(number)?.send(line),
    listening: () => Object.fromEntries([...open].map(([number, { agent }]) => [agent, number])),
    onChange: (told) => {
      changed = told
    },
  }
}
