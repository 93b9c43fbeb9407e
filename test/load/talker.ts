import { connect, type Socket } from 'node:net'

export interface Outcome {
  readonly outcome: string
  readonly reason?: string
}

const finals = ['delivered', 'withheld', 'failed', 'unknown']
/** Asked for at once, over one connection, so that the gate gets them in this order. */
const atOnce = 8

const requestOf = (body: object): string => {
  const text = JSON.stringify(body)
  return `POST /v1/push HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

/** The answers of one connection, in order; undefined for each that never came. */
const ask = (socketPath: string, bodies: readonly object[]): Promise<readonly (Outcome | undefined)[]> =>
  new Promise((resolve) => {
    const answers: (Outcome | undefined)[] = []
    let buffer = ''
    const socket: Socket = connect(socketPath)
    const end = (): void => {
      socket.destroy()
      resolve(bodies.map((_, at) => answers[at]))
    }
    socket.setEncoding('utf8').on('error', end).on('close', end)
    socket.on('data', (text: string) => {
      buffer += text
      for (;;) {
        const head = buffer.indexOf('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(buffer.slice(0, head))?.[1])
        if (head < 0 || buffer.length < head + 4 + length) return
        const body = JSON.parse(buffer.slice(head + 4, head + 4 + length)) as Partial<Outcome>
        answers.push(body.outcome === undefined ? undefined : (body as Outcome))
        buffer = buffer.slice(head + 4 + length)
        if (answers.length === bodies.length) return end()
      }
    })
    socket.write(bodies.map(requestOf).join(''))
  })

/** The gate takes so many requests at once, and what it refuses has no place in the order. */
const maxChats = Math.floor(64 / atOnce) - 1

/** Lets so many go on at once, the others in the order in which they came. */
export const createTurns = () => {
  let free = maxChats
  const waiting: (() => void)[] = []
  return {
    take: async (): Promise<void> => {
      if (free === 0) await new Promise<void>((go) => waiting.push(go))
      else free -= 1
    },
    give: (): void => {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    },
  }
}

/** What became of each text, and when it was first asked for. */
export interface Told {
  readonly outcomes: Map<string, Outcome>
  readonly askedAtMs: Map<string, number>
}

/**
 * Says `texts` in one chat, in order, and asks again for each until it hears what became of it: as an agent
 * does whose gate is killed now and then.
 */
export const talk = async (
  socketPath: string,
  chat: string,
  texts: readonly string[],
  { outcomes, askedAtMs }: Told,
  turns: ReturnType<typeof createTurns>,
): Promise<void> => {
  for (let from = 0; from < texts.length; from += atOnce) {
    let open = texts.slice(from, from + atOnce)
    while (open.length > 0) {
      await turns.take()
      for (const text of open) if (!askedAtMs.has(text)) askedAtMs.set(text, performance.now())
      const answers = await ask(
        socketPath,
        open.map((text) => ({ push_id: text, channel: 'loop', chat_id: chat, text })),
      )
      turns.give()
      for (const [at, answer] of answers.entries())
        if (answer !== undefined && finals.includes(answer.outcome)) outcomes.set(open[at] ?? '', answer)
      open = open.filter((text) => !outcomes.has(text))
      if (open.length > 0) await new Promise((done) => setTimeout(done, 30))
    }
  }
}
