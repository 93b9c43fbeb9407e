import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encrypt } from '../../../../bots/wechat/ilink/media.ts'
import { createWechat } from '../../../../bots/wechat/wechat.ts'
import { loadConfig } from '../../../../src/config/load.ts'
import type { Parts } from '../../../../src/compose/parts.ts'
import { assemble } from '../../../../src/main.ts'
import { person, startILink, type ILinkServer } from '../../../fixtures/ilink/server.ts'
import { until } from '../../../e2e/program.ts'
import { plain } from '../../../../src/core/model/chat/content.ts'

const secretBody = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'
const secret = `-----BEGIN PRIVATE KEY-----\n${secretBody}\n-----END PRIVATE KEY-----`

let home: string
let running: Parts
let ilink: ILinkServer
const shown: string[] = []
const logs: string[] = []

const ask = async (text: string, holds: (answer: string) => boolean): Promise<string> => {
  const from = ilink.texts().length
  ilink.say(text)
  return until(`an answer to ${text}`, () => ilink.texts().slice(from).find(holds))
}
const approve = (event: string, command: string): Promise<string> =>
  ask(`/hooks approve ${event} ${command}`, (text) => text.includes('✓ Approved') && text.includes(command))

const begin = async (): Promise<void> => {
  running = await assemble(
    loadConfig({
      HOOKGATE_HOME: join(home, 'gate'),
      HOOKGATE_WORKSPACE: join(home, 'workspace'),
      HOOKGATE_PORT: '0',
    }),
    {
      log: (level, what, fields) => logs.push(JSON.stringify([level, what, fields])),
      channels: (ports) => {
        const memory = {
          recall: async () => kept.login,
          remember: async (login: string) => void (kept.login = login),
        }
        const options = {
          root: ilink.root,
          cdn: ilink.cdnRoot,
          card: join(home, 'gate', 'secrets', 'wechat.json'),
          pauseMs: 20,
          sendIntervalMs: 30,
          backoffMs: 200,
          recheckMs: 200,
        }
        return [
          createWechat(
            { puppet: 'ilink', ilink: options, show: (lines) => shown.push(lines), ...memory },
            ports,
          ),
        ]
      },
    },
  )
}
const kept: { login?: string } = {}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hookgate-e2e-'))
  ilink = await startILink()
  await begin()
})
afterAll(async () => {
  await running.stop()
  await ilink.stop()
  await rm(home, { recursive: true, force: true })
})

describe('the main job over WeChat’s own bot interface', () => {
  test('the bot is logged in with the QR code of the console', async () => {
    const [lines = ''] = await until('a code', () => (shown.length > 0 ? shown : undefined))
    expect(lines).toContain('Scan this code with WeChat')
    ilink.confirm()
    await until('the login', () => kept.login)
    const { mode } = await stat(join(home, 'gate', 'secrets', 'wechat.json'))
    expect(mode & 0o777).toBe(0o600)
  })

  test('a person pairs with the code of the console', async () => {
    const { pairing } = running.invite()
    expect(await ask(`/pair ${pairing}`, (text) => text.includes('已配对'))).toContain('🛡')
    expect(running.gatekeeper.state().owners.find(({ id }) => id === `wechat:${person}`)).toMatchObject({
      login: kept.login,
    })
  })

  test('the person reads Chinese, and chooses English', async () => {
    await ask('/hooks', (text) => text.includes('钩子已关闭'))
    await ask('/lang en', (text) => text.includes('writes English'))
  })

  test('the owner approves and switches on', async () => {
    await ask('say to eve@example.com', (text) => text === 'to eve@example.com')
    await approve('on_outbound_message', './.hookgate-examples/block_secrets.py')
    await ask('/hooks on', (text) => text.includes('Hooks are ON'))
  })

  test('a private key that the agent says never arrives, and the owner is told', async () => {
    expect(await ask(`say ${secret}`, (text) => text.includes('Blocked: '))).toContain(
      'Block secrets in messages: ',
    )
    expect(ilink.texts().filter((text) => text.includes(secretBody.slice(0, 40)))).toEqual([])
  })

  test('what is quoted or spoken is no command', async () => {
    const { revision } = running.gatekeeper.state()
    ilink.inject({ item_list: [{ type: 1, text_item: { text: '/hooks off' }, ref_msg: { title: 'Bot' } }] })
    await until('the refusal of it', () => ilink.texts().some((text) => text.includes('was not carried out')))
    ilink.inject({ item_list: [{ type: 3, voice_item: { text: '/hooks off' } }] })
    await until('word that only text is read', () =>
      ilink.texts().some((text) => text.includes('only read text')),
    )
    expect(running.gatekeeper.state()).toMatchObject({ isOn: true, revision })
  })

  test('a file that a person sends is in the agent’s inbox, and one that the agent sends arrives, its caption after it', async () => {
    const key = randomBytes(16)
    const media = {
      encrypt_query_param: ilink.cdn.keep(encrypt(Buffer.from('a,b'), key), key.toString('hex')),
      aes_key: key.toString('base64'),
    }
    ilink.inject({ item_list: [{ type: 4, file_item: { media, file_name: 'table.csv', len: '3' } }] })
    expect(
      await until('the file', () =>
        readFile(join(home, 'workspace', 'inbox', 'table.csv'), 'utf8').then(
          (text) => text !== '' && text,
          () => undefined,
        ),
      ),
    ).toBe('a,b')
    const from = ilink.sent.length
    const bytes = Buffer.from('the report')
    const push = {
      push_id: 'file',
      agent_id: 'main',
      session_id: 's',
      cwd: home,
      channel: 'wechat',
      chat_id: person,
      type: 'document',
      text: 'Here it is',
      marks: [],
      parts: [],
      files: [{ name: 'report.txt', type: 'text/plain', bytes }],
    } as const
    expect(
      await running.dispatcher.push({
        ...push,
        push_id: 'stopped',
        parts: [{ field: 'link.0', text: `https://a.example/?${secret.replaceAll('\n', '')}` }],
      }),
    ).toMatchObject({ outcome: 'withheld' })
    expect(await running.dispatcher.push(push)).toMatchObject({ outcome: 'delivered' })
    const sent = ilink.sent
      .slice(from)
      .filter(({ text, file }) => file !== undefined || text === 'Here it is')
    expect(sent.map(({ text, file }) => [text, file?.name, file?.bytes.toString()])).toEqual([
      ['', 'report.txt', 'the report'],
      ['Here it is', undefined, undefined],
    ])
  })

  test('what the agent says when nothing may leave waits in the outbox, over a restart, until the person writes', async () => {
    await ask('/hooks', (text) => text.includes('Hooks are'))
    ilink.endContexts()
    const push = running.dispatcher.push({
      push_id: 'late',
      agent_id: 'main',
      session_id: 's',
      cwd: home,
      ...plain('text', 'the late news'),
      channel: 'wechat',
      chat_id: person,
    })
    await until('word that it waits', () =>
      logs.some((line) => line.includes('wait until that person writes')),
    )
    void push.catch(() => undefined)
    await running.stop()
    await begin()
    await until(
      'the bot to be back',
      () => ilink.calls.filter((path) => path === 'msg/notifystart').length === 2,
    )
    expect(ilink.texts()).not.toContain('the late news')
    ilink.say('what is new?')
    await until('the news', () => ilink.texts().includes('the late news'), 20_000)
    expect(ilink.texts().filter((text) => text === 'the late news')).toHaveLength(1)
    expect(ilink.codes()).toBe(1)
  })

  test('no secret of the session is in a log, and what is kept is one file', async () => {
    const card = JSON.parse(await readFile(join(home, 'gate', 'secrets', 'wechat.json'), 'utf8')) as {
      session: { token: string }
      contexts: Record<string, { token: string }>
    }
    for (const { token } of [card.session, ...Object.values(card.contexts)])
      expect(logs.join('\n')).not.toContain(token)
    expect(logs.join('\n')).not.toContain('/q/qr-')
    await until(
      'one file',
      async () =>
        (await readdir(join(home, 'gate', 'secrets'))).filter((name) => name.startsWith('wechat')).join() ===
        'wechat.json',
    )
    expect([ilink.wrongs, ilink.dropped]).toEqual([[], []])
  })

  test('off works at once', async () => {
    await ask('/hooks off', (text) => text.includes('Hooks are OFF'))
  })
})
