import { readFileSync } from 'node:fs'
import { appendFileSync, mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import type { Browser, Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { isBrowserMissing, launchBrowser, openTab, phoneScreen } from '../e2e/browser.ts'
import { cli, startProgram, type Program, type Starter } from '../e2e/program.ts'
import { token } from '../e2e/rig.ts'
import { untilWithin } from '../until.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import type { Person } from '../fixtures/bot-api/people.ts'
import { startFeishu, type Feishu } from '../fixtures/feishu/server.ts'

/** Several gates and browsers run at once, so each takes its time. */
const until = untilWithin(90_000)

export const languages = ['en', 'zh'] as const
export type Spoken = (typeof languages)[number]
/** The same words in each language. */
export type Words = Readonly<Record<Spoken, string>>
export const words = (en: string, zh: string): Words => ({ en, zh })

/** Pictures and transcripts are for people, and only when asked for. */
const shots = process.env['HOOKGATE_SHOTS']

/** What a person holds: they read, type and tap there, whatever carries it. */
export interface Hand {
  readonly language: Spoken
  /** What hookgate, or the agent, says in the chat as it stands now. */
  texts(by: 'hookgate' | 'agent'): Promise<readonly string[]>
  say(text: string): Promise<void>
  /** Taps the newest button whose label begins so, when its owner had the time to read the card. */
  tap(label: Words): Promise<void>
  /** Taps again where hookgate said that the last tap came too soon. */
  insist(): Promise<void>
  /** Types an answer to the newest message that asks for one. */
  reply(text: string): Promise<void>
  /** Looks whether the list beside the chat says this, where there is one. */
  preferences(holds: Words, name: string): Promise<void>
  /** A check of how it looks, and a picture or a transcript when asked for. */
  look(name: string): Promise<void>
}

/** Waits until hookgate says this, and returns the whole text. */
export const reads = async (hand: Hand, holds: Words): Promise<string> => {
  const said = holds[hand.language]
  return until(`hookgate to say ${said}`, async () => {
    await hand.insist()
    return (await hand.texts('hookgate')).findLast((text) => text.includes(said))
  }).catch(async (error: unknown) => {
    throw new Error(`${String(error)} It says:\n${(await hand.texts('hookgate')).slice(-4).join('\n---\n')}`)
  })
}

/** Says something, and waits until the agent answers with this. */
export const talk = async (hand: Hand, text: string, answer: string): Promise<void> => {
  const before = (await hand.texts('agent')).length
  await hand.say(text)
  await hears(hand, answer, before)
}

/** Waits until the agent says this, after its first texts. */
export const hears = (hand: Hand, said: string, before = 0): Promise<unknown> =>
  until(`the agent to say ${said}`, async () =>
    (await hand.texts('agent')).slice(before).some((text) => text.includes(said)),
  ).catch(async (error: unknown) => {
    throw new Error(`${String(error)} It says:\n${(await hand.texts('agent')).slice(-4).join('\n---\n')}`)
  })

const mark = '🛡 '

/** A label can end with a handle. */
const isOf = (shown: string, label: string): boolean =>
  shown.replace(/ \w{5}$/, '') === label || shown === label

const tooSoon = words('this card has only just appeared', '这张卡片刚刚出现')

/**
 * A busy gate can find a tap too early, because it counts from when it knows that the card arrived. It says
 * so then, and a person taps again.
 */
const insisting = <H extends Omit<Hand, 'insist'>>(hand: H): H & Hand => {
  let tapped: Words | undefined
  let known = 0
  const refusals = async (): Promise<number> =>
    (await hand.texts('hookgate')).filter((text) => text.includes(tooSoon[hand.language])).length
  const tap = async (label: Words): Promise<void> => {
    tapped = label
    known = await refusals()
    await hand.tap(label)
  }
  return {
    ...hand,
    tap,
    insist: async () => {
      if (tapped !== undefined && (await refusals()) > known) await tap(tapped)
    },
  }
}

/** A phone with Telegram. The client reports its language. */
export const holdPhone = (api: BotApi, language: Spoken, id = 7, name = 'Olive'): Hand => {
  const person: Person = { id, first_name: name, language_code: language === 'zh' ? 'zh-hans' : 'en' }
  const labels = (): readonly string[] =>
    api
      .sent(id)
      .flatMap(({ reply_markup }) => (reply_markup?.inline_keyboard ?? []).flat().map(({ text }) => text))
  return insisting({
    language,
    texts: async (by) =>
      api
        .texts(id)
        .filter((text) => text.startsWith(mark) === (by === 'hookgate'))
        .map((text) => text.replace(mark, '')),
    say: async (text) => void api.say(text, person),
    tap: async (label) => {
      const find = () => labels().findLast((one) => isOf(one, label[language]))
      const found = await until(`the button ${label[language]}`, find)
      await api.read()
      api.tap(found, person)
    },
    reply: async (text) => {
      const prompt = await until('a message that asks for a reply', () => {
        const forced = api.calls('sendMessage').findLast(({ params }) => params['chat_id'] === id)
        return forced?.params['reply_markup'] !== undefined && api.sent(id).at(-1)
      })
      api.say(text, person, { reply_to_message: prompt })
    },
    preferences: async () => undefined,
    look: async (name) => {
      if (shots === undefined) return
      const lines = api.sent(id).map(({ text = '', reply_markup }) => {
        const rows = (reply_markup?.inline_keyboard ?? []).map((row) =>
          row.map(({ text }) => `[${text}]`).join(' '),
        )
        return [text, ...rows].join('\n')
      })
      await writeFile(join(shots, `telegram-${language}-${id}-${name}.txt`), lines.join('\n----\n'))
    },
  })
}

/** A phone with Feishu or Lark. The owner is the person who writes there when nobody else is named. */
const holdFeishu = (feishu: Feishu, language: Spoken): Hand => {
  const person = { ...feishu.owner, language: language === 'zh' ? 'zh_CN' : 'en_US' }
  return insisting({
    language,
    texts: async (by) =>
      feishu
        .texts()
        .filter((text) => text.startsWith(mark) === (by === 'hookgate'))
        .map((text) => text.replace(mark, '')),
    say: async (text) => void feishu.say(text, person),
    tap: async (label) => {
      const find = () =>
        feishu
          .sent()
          .flatMap(({ buttons }) => buttons.flat())
          .findLast((one) => isOf(one, label[language]))
      const found = await until(`the button ${label[language]}`, find)
      // A button does not count in its first second.
      await pause(1100)
      feishu.tap(found, person)
    },
    reply: async (text) => {
      const prompt = await until('a message that asks for a reply', () => feishu.sent().at(-1))
      feishu.say(text, person, { parent_id: prompt.id, root_id: prompt.id })
    },
    preferences: async () => undefined,
    look: async (name) => {
      if (shots === undefined) return
      const lines = feishu
        .sent()
        .map(({ text, buttons }) =>
          [text, ...buttons.map((row) => row.map((one) => `[${one}]`).join(' '))].join('\n'),
        )
      await writeFile(join(shots, `feishu-${language}-${name}.txt`), lines.join('\n----\n'))
    },
  })
}

/** The page takes no tap on a button that another message has just moved. A person taps again. */
const tapCounts = `new Promise((resolve) =>
  addEventListener(
    'click',
    ({ target }) => resolve(target.closest('[data-act]:not([data-fresh])') !== null),
    { capture: true, once: true },
  ))`

/** The page in a browser as wide as a phone, which speaks this language. */
const holdPage = async (
  browser: Browser,
  program: Program,
  language: Spoken,
): Promise<Hand & { readonly complaints: readonly string[] }> => {
  const { page, complaints } = await openTab(browser, new URL(program.login()).origin, {
    ...phoneScreen,
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
  })
  await page.goto(program.login())
  await page.getByText({ en: 'Connected', zh: '已连接' }[language], { exact: true }).waitFor()
  const named = (names: Words, role: 'textbox' | 'button'): Locator =>
    page.getByRole(role, { name: names[language], exact: true })
  const send = async (box: Locator, text: string): Promise<void> => {
    await box.fill(text)
    await named(words('Send', '发送'), 'button').tap()
  }
  const look = async (name: string): Promise<void> => {
    expect(
      await page.evaluate(
        '[...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => one.outerHTML.slice(0, 80))',
      ),
    ).toEqual([])
    if (shots !== undefined)
      await page.screenshot({ path: join(shots, `page-${language}-${name}.png`), animations: 'disabled' })
  }
  return insisting({
    language,
    complaints,
    texts: async (by) =>
      (await page.locator(`.from-${by} .said`).allTextContents()).map((text) => text.replace(mark, '')),
    say: (text) => send(named(words('Message', '消息'), 'textbox'), text),
    tap: async (label) => {
      const button = page
        .locator('.from-hookgate')
        .getByRole('button')
        .filter({ hasText: new RegExp(`^${label[language]}( \\w{5})?$`) })
        .last()
      await button.waitFor()
      await until('a tap that counts', async () => {
        const counts = page.evaluate<boolean>(tapCounts)
        await button.tap()
        return counts
      })
    },
    reply: (text) =>
      send(
        page.getByRole('textbox', {
          name: { en: /^Reply to the last card/, zh: /^回复最后一张卡片/ }[language],
        }),
        text,
      ),
    preferences: async (holds, name) => {
      await page.getByRole('tab', { name: { en: 'Preferences', zh: '设置' }[language] }).tap()
      await page.getByText(holds[language]).filter({ visible: true }).first().waitFor()
      await look(name)
      await page.getByRole('tab', { name: { en: 'Chat', zh: '聊天' }[language] }).tap()
    },
    look,
  })
}

/** A gate, its owner, and where the people are who join later. */
export interface Scene {
  readonly owner: Hand
  readonly program: Program
  readonly api: BotApi
}

/** What happens, in order, and what people read then. */
export type Story = readonly (readonly [string, (scene: Scene) => Promise<unknown>])[]

type Over = 'Telegram' | 'the page' | 'Feishu'

/** The names of the proposals that a first start copies. A file gives its hooks names in its own language. */
const namesInFile = new Set(
  [...readFileSync('config/shell_hooks.yaml', 'utf8').matchAll(/^ +name: (.+)$/gm)].map(([, name]) => name),
)

/** Four English words in a row, outside of what files, hooks and agents say. */
const untranslated = (texts: readonly string[]): readonly string[] =>
  texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => !namesInFile.has(line.trim()))
    .filter((line) => !/^(?:│|\.\/|builtin: |\s*⚠ )/.test(line) && /(?:[A-Za-z’']+ ){3}[A-Za-z]/.test(line))

const lastStarts = new Map<Over, Promise<unknown>>()
/** At most two gates start at once: more starts would each take too long on a small machine. */
const inTurn = <T>(over: Over, start: () => Promise<T>): Promise<T> => {
  const next = (lastStarts.get(over) ?? Promise.resolve()).then(start, start)
  lastStarts.set(over, next)
  return next
}

/** The owner sends the app what the console prints. */
const beginOnFeishu = async (
  language: Spoken,
  starter: Starter,
  atEnd: (end: () => Promise<void>) => void,
): Promise<Pick<Scene, 'owner' | 'program'>> => {
  const feishu = await startFeishu()
  atEnd(() => feishu.stop())
  const program = await inTurn('Feishu', () =>
    startProgram(
      { FEISHU_APP_ID: feishu.appId, FEISHU_APP_SECRET: feishu.appSecret, FEISHU_API_ROOT: feishu.root },
      cli,
      {
        ...starter,
        prepare: (home) => {
          mkdirSync(join(home, '.hookgate'), { recursive: true })
          starter.prepare?.(home)
          const platform = language === 'zh' ? 'feishu' : 'lark'
          appendFileSync(
            join(home, '.hookgate', 'gate.yaml'),
            `channels: {feishu: {platform: ${platform}}}\n`,
          )
        },
      },
    ),
  )
  atEnd(() => program.remove())
  const owner = holdFeishu(feishu, language)
  const code = await until('the pairing code', () => /\/pair (\S+)/.exec(program.output())?.[1])
  await until('the connection', () => feishu.isConnected())
  await owner.say(`/pair ${code}`)
  await reads(
    owner,
    words('Paired: you are now an owner of this gate.', '已配对：你现在是这个网关的所有者。'),
  )
  return { owner, program }
}

/** The owner comes by the start link of the console on a phone, or by its login on the page. */
const begin = async (
  over: Over,
  language: Spoken,
  starter: Starter,
  atEnd: (end: () => Promise<void>) => void,
): Promise<Scene> => {
  const api = await startBotApi({ token })
  atEnd(() => api.stop())
  if (over === 'Feishu') return { ...(await beginOnFeishu(language, starter, atEnd)), api }
  const program = await inTurn(over, () =>
    startProgram({ TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: api.root }, cli, starter),
  )
  atEnd(() => program.remove())
  if (over === 'the page') {
    const browser = await launchBrowser()
    atEnd(() => browser.close())
    const owner = await holdPage(browser, program, language)
    atEnd(async () => expect(owner.complaints).toEqual([]))
    return { owner, program, api }
  }
  const owner = holdPhone(api, language)
  const code = await until('the start link', () => /t\.me\/\S+\?start=(\S+)/.exec(program.output())?.[1])
  await owner.say(`/start ${code}`)
  await reads(
    owner,
    words('Paired: you are now an owner of this gate.', '已配对：你现在是这个网关的所有者。'),
  )
  return { owner, program, api }
}

/** Where a story is told, and in which language. */
type Telling = readonly [Over, Spoken]

const everywhere: readonly Telling[] = (['Telegram', 'the page'] as const).flatMap((over) =>
  languages.map((language) => [over, language] as const),
)

/** Tells a story. The tellings mostly wait, so all run at once. */
export const tell = (
  name: string,
  story: Story,
  starter: Starter = {},
  tellings: readonly Telling[] = everywhere,
): void => {
  for (const [over, language] of tellings)
    test.skipIf(over === 'the page' && isBrowserMissing)(
      `${name}, over ${over}, in ${language}`,
      { concurrent: true },
      async ({ onTestFinished }) => {
        const scene = await begin(over, language, starter, onTestFinished)
        for (const [title, happens] of story)
          try {
            await happens(scene)
            await scene.owner.look(title.slice(0, 30).replaceAll(/\W/g, '-'))
          } catch (error) {
            throw new Error(`The story breaks where ${title}.`, { cause: error })
          }
        if (language === 'zh') expect(untranslated(await scene.owner.texts('hookgate'))).toEqual([])
      },
    )
}
