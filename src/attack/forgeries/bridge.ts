import { randomBytes } from 'node:crypto'
import path from 'node:path'
import {
  done,
  forging,
  open,
  refused,
  type Forgery,
  type ForgeryReport,
  type Target,
  answersOthers,
  inTheirName,
} from '../forgery.ts'
import {
  answersAt,
  ask,
  foreignHosts,
  json,
  listensAt,
  readAll,
  takePlaceOf,
  type HttpAnswer,
  type HttpRequest,
} from '../means.ts'

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
  readonly headers?: HttpRequest['headers']
  readonly body: object
}

/** Reports an event to an interface for agents at a desk. */
const report = (
  to: Parameters<typeof ask>[0],
  path: string,
  { event = 'PreToolUse', headers = {}, body }: Reported,
): Promise<HttpAnswer> =>
  ask(to, {
    method: 'POST',
    path: `${path}/claude-code/${event}`,
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  })

export const overHttp = (target: Target, reported: Reported): Promise<HttpAnswer> =>
  report(originOf(target), '/bridge', reported)
export const overSocket = (target: Target, reported: Reported): Promise<HttpAnswer> =>
  report({ socketPath: socketOf(target) }, '/v1/bridge', reported)

const reportUnheard = (target: Target, headers: HttpRequest['headers'], query = ''): Promise<HttpAnswer> =>
  overHttp(target, {
    event: `PreToolUse${query}`,
    headers: { 'x-hookgate-ask-ms': '1000', ...headers },
    body: call('ASKME unheard'),
  })

const allRefused = async (tries: readonly Promise<HttpAnswer>[]): Promise<ForgeryReport> => {
  const answers = await Promise.all(tries)
  const heard = answers.filter(({ status }) => status !== 403)
  return heard.length === 0
    ? refused(`answered 403, ${answers.length} times`)
    : open(`${heard.length} of ${answers.length} were accepted`)
}

const commands = ['/hooks off', '/hooks approve on_stop true', '/owners remove telegram:7', '/pair']
const events = 'UserPromptSubmit Notification SessionStart Stop hooks_on .. %2e%2e on approve switch'.split(
  ' ',
)

const reporting = forging({ withoutSeparation: inTheirName })
const answering = forging({ withoutSeparation: answersOthers })
const overBridge = forging({ needs: ['bridge'] })

export const bridgeForgeries: readonly Forgery[] = [
  reporting('bridge.token', 'read the token of HTTP hooks', ({ home }) =>
    readAll([path.join(home, 'secrets', 'bridge-token')]),
  ),
  reporting('bridge.socket', 'send requests to the socket of agents at your desk', (target) =>
    answersAt(socketOf(target)),
  ),
  answering('bridge.replace', 'replace the socket of agents at your desk by its own', (target) =>
    takePlaceOf(socketOf(target), ''),
  ),
  overBridge('bridge.no_token', 'report a step over HTTP without the token', (target) => {
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
  }),
  overBridge('bridge.elsewhere', 'send that token as a cookie, in the query or incomplete', (target) => {
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
  }),
  overBridge(
    'bridge.browser',
    'report over HTTP from a web page, or under a foreign host name that leads here',
    (target) => {
      const { port } = new URL(originOf(target).origin)
      return allRefused([
        ...['http://evil.test', 'null', originOf(target).origin, target.page ?? 'http://127.0.0.1'].map(
          (origin) => reportUnheard(target, { ...authorized(target), origin }),
        ),
        ...foreignHosts(port).map((host) => reportUnheard(target, { ...authorized(target), host })),
      ])
    },
  ),
  overBridge(
    'bridge.verbs',
    'ask to approve and to switch, with that token or through that socket',
    async (target) => {
      const answers: HttpAnswer[] = []
      for (const text of commands) {
        for (const event of events) {
          const body = call('true', {
            hook_event_name: event,
            prompt: text,
            message: text,
            text,
            source: 'startup',
            by: 'telegram:7',
            isOn: false,
          })
          answers.push(await overHttp(target, { event, headers: authorized(target), body }))
          await overSocket(target, { event, body }).catch(() => undefined)
        }
      }
      return done(`answered ${[...new Set(answers.map(({ status }) => status))].join(', ')}`)
    },
  ),
  overBridge('bridge.take_port', 'listen on the port of HTTP hooks', async (target) => {
    const port = Number(new URL(originOf(target).origin).port)
    const [host] = await listensAt(port, ['127.0.0.1', '0.0.0.0'])
    return host === undefined ? refused('the port is in use') : open(`it listens on ${host}`)
  }),
]
