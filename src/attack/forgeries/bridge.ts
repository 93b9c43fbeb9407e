import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { done, open, refused, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { answersAt, ask, json, listensAt, readAll, takePlaceOf, type HttpAnswer } from '../means.ts'
import { answersOthers, inTheirName } from '../meanings.ts'

const socketOf = ({ home }: Target): string => path.join(home, 'run', 'bridge.sock')
const originOf = ({ bridge }: Target): { readonly origin: string } => ({ origin: bridge?.origin ?? '' })

/** The header that agents at a desk send with each event. */
export const authorized = ({ bridge }: Target): { readonly authorization: string } => ({
  authorization: `Bearer ${bridge?.token ?? ''}`,
})

/** Returns a step of Claude Code. A person is asked about it for one second. */
export const call = (command: string, more: object = {}): object => ({
  session_id: 'attack',
  cwd: '/',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 'attack',
  permission_mode: 'default',
  transcript_path: '/dev/null',
  ...more,
})

interface Reported {
  readonly event?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
}

/** Reports an event over HTTP. */
export const overHttp = (
  target: Target,
  { event = 'PreToolUse', headers = {}, body }: Reported,
): Promise<HttpAnswer> =>
  ask(originOf(target), {
    method: 'POST',
    path: `/bridge/claude-code/${event}`,
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  })

/** Reports an event over the socket of bridges. */
export const overSocket = (
  target: Target,
  { event = 'PreToolUse', headers = {}, body }: Reported,
): Promise<HttpAnswer> =>
  ask(
    { socketPath: socketOf(target) },
    {
      method: 'POST',
      path: `/v1/bridge/claude-code/${event}`,
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    },
  )

const reportUnheard = (
  target: Target,
  headers: Readonly<Record<string, string>>,
  query = '',
): Promise<HttpAnswer> =>
  ask(originOf(target), {
    method: 'POST',
    path: `/bridge/claude-code/PreToolUse${query}`,
    headers: { ...json, 'x-hookgate-ask-ms': '1000', ...headers },
    body: JSON.stringify(call('ASKME unheard')),
  })

const allRefused = async (tries: readonly Promise<HttpAnswer>[]): Promise<ForgeryReport> => {
  const answers = await Promise.all(tries)
  const heard = answers.filter(({ status }) => status !== 403)
  return heard.length === 0
    ? refused(`answered 403, ${answers.length} times`)
    : open(`${heard.length} of ${answers.length} were accepted`)
}

const commands = ['/hooks off', '/hooks approve on_stop true', '/owners remove telegram:7', '/pair']
const events = [
  'UserPromptSubmit',
  'Notification',
  'SessionStart',
  'Stop',
  'hooks_on',
  '..',
  '%2e%2e',
  'on',
  'approve',
  'switch',
]

export const bridgeForgeries: readonly Forgery[] = [
  {
    name: 'bridge.token',
    title: 'read the token of HTTP hooks',
    withoutSeparation: { meaning: inTheirName },
    attempt: ({ home }) => readAll([path.join(home, 'secrets', 'bridge-token')]),
  },
  {
    name: 'bridge.socket',
    title: 'send requests to the socket of agents at your desk',
    withoutSeparation: { meaning: inTheirName },
    attempt: (target) => answersAt(socketOf(target)),
  },
  {
    name: 'bridge.replace',
    title: 'replace the socket of agents at your desk by its own',
    withoutSeparation: { meaning: answersOthers },
    attempt: (target) => takePlaceOf(socketOf(target), ''),
  },
  {
    name: 'bridge.no_token',
    title: 'report a step over HTTP without the token',
    needs: ['bridge'],
    attempt: (target) => {
      const guesses = [
        '',
        'Bearer',
        'Bearer ',
        'Bearer undefined',
        'Bearer null',
        `Basic ${btoa('hookgate:hookgate')}`,
        `Bearer ${'A'.repeat(43)}`,
        ...Array.from({ length: 20 }, () => `Bearer ${randomBytes(32).toString('base64url')}`),
      ]
      return allRefused([
        reportUnheard(target, {}),
        ...guesses.map((authorization) => reportUnheard(target, { authorization })),
      ])
    },
  },
  {
    name: 'bridge.elsewhere',
    title: 'send that token as a cookie, in the query or incomplete',
    needs: ['bridge'],
    attempt: (target) => {
      const { token = '' } = target.bridge ?? {}
      const words = [
        token,
        `bearer ${token.slice(0, -1)}`,
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token}A`,
        `Bearer ${token.toLowerCase()}`,
        `Basic ${token}`,
      ]
      return allRefused([
        reportUnheard(target, { cookie: `token=${token}; authorization=${token}` }),
        reportUnheard(target, {}, `?token=${token}&authorization=Bearer%20${token}`),
        ...words.map((authorization) => reportUnheard(target, { authorization })),
      ])
    },
  },
  {
    name: 'bridge.browser',
    title: 'report over HTTP from a web page, or under a foreign host name that leads here',
    needs: ['bridge'],
    attempt: (target) => {
      const { port } = new URL(originOf(target).origin)
      return allRefused([
        ...['http://evil.test', 'null', originOf(target).origin, target.page ?? 'http://127.0.0.1'].map(
          (origin) => reportUnheard(target, { ...authorized(target), origin }),
        ),
        ...[
          'evil.test',
          `evil.test:${port}`,
          `127.0.0.1.evil.test:${port}`,
          `0.0.0.0:${port}`,
          `[::1]:${port}`,
          '127.0.0.1',
        ].map((host) => reportUnheard(target, { ...authorized(target), host })),
      ])
    },
  },
  {
    name: 'bridge.verbs',
    title: 'ask to approve and to switch, with that token or through that socket',
    needs: ['bridge'],
    timeoutMs: 15_000,
    attempt: async (target) => {
      const answers: HttpAnswer[] = []
      for (const text of commands) {
        for (const event of events) {
          const body = {
            session_id: 'attack',
            cwd: '/',
            hook_event_name: event,
            prompt: text,
            message: text,
            text,
            source: 'startup',
            by: 'telegram:7',
            isOn: false,
            permission_mode: 'default',
            transcript_path: '/dev/null',
          }
          answers.push(await overHttp(target, { event, headers: authorized(target), body }))
          await overSocket(target, { event, body }).catch(() => undefined)
        }
      }
      return done(`answered ${[...new Set(answers.map(({ status }) => status))].join(', ')}`)
    },
  },
  {
    name: 'bridge.take_port',
    title: 'listen on the port of HTTP hooks',
    needs: ['bridge'],
    attempt: async (target) => {
      const port = Number(new URL(originOf(target).origin).port)
      const [host] = await listensAt(port, ['127.0.0.1', '0.0.0.0'])
      return host === undefined ? refused('the port is in use') : open(`it listens on ${host}`)
    },
  },
]
