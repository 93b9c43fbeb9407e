import { readFileSync } from 'node:fs'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Mark } from '../../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { isBrowserMissing, launchBrowser } from '../../e2e/browser.ts'
import { idOf } from './chat-rig.ts'
import { bmp, jpeg, png } from './pictures.ts'
import { preferences, startScripted } from './scripted-web.ts'
import { wav } from './sounds.ts'

const long = `${'a_very_long_name_without_a_place_to_break_'.repeat(4)}.pdf`
const file = (name: string, bytes: Buffer | string): File => new File([bytes], name)
const marked = (
  text: string,
  ...runs: readonly (readonly [words: string, type: Mark['type'], field?: string])[]
): Partial<OutgoingMessage> => ({
  marks: runs.map(([words, type, field]) => ({
    type,
    offset: text.indexOf(words),
    length: words.length,
    ...(field === undefined ? {} : { field }),
  })),
})
const buttons = (...pairs: readonly (readonly [label: string, url: string])[]): OutgoingMessage['parts'] =>
  pairs.flatMap(([label, url], at) => [
    { field: `button.${at}.label`, text: label },
    { field: `button.${at}.url`, text: url },
  ])

describe.skipIf(isBrowserMissing)('every form in a browser', () => {
  let browser: Browser
  let scripted: Awaited<ReturnType<typeof startScripted>>
  let base: string
  let page: Page
  let complaints: string[]
  let foreign: string[]
  let expected: RegExp | undefined

  const openPage = async (options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> => {
    const opened = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options })
    opened.on('console', (line) => {
      if ((line.type() === 'error' || line.type() === 'warning') && expected?.test(line.text()) !== true)
        complaints.push(line.text())
    })
    opened.on('pageerror', (error) => complaints.push(String(error)))
    opened.on('request', (request) => {
      if (new URL(request.url()).origin !== base) foreign.push(request.url())
    })
    opened.setDefaultTimeout(30_000)
    return opened
  }
  const logIn = async (to: Page): Promise<void> => {
    await to.goto(`${base}/#${scripted.web.mintLogin()}`)
    await to.getByText('Connected', { exact: true }).waitFor()
  }
  const bubbles = (of = page): Locator => of.getByRole('log').getByRole('article')
  const last = (): Locator => bubbles().last()

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    scripted = await startScripted(0, Date.now())
    base = scripted.web.url()
    complaints = []
    foreign = []
    expected = undefined
    page = await openPage()
    await logIn(page)
  })
  afterEach(async () => {
    await page.close()
    await scripted.web.stop()
    expect(complaints).toEqual([])
    expect(foreign).toEqual([])
  })

  test('marks are shown as what they are, and the text stays what was judged, letter by letter', async () => {
    const text = 'bold italic strike code\npre\nquote\nplain <b>x</b>'
    await scripted.push(
      text,
      marked(
        text,
        ['bold', 'bold'],
        ['italic', 'italic'],
        ['strike', 'strike'],
        ['code', 'code'],
        ['pre', 'pre'],
        ['quote', 'quote'],
      ),
    )
    await bubbles().first().waitFor()
    for (const [tag, words] of Object.entries({
      b: 'bold',
      i: 'italic',
      s: 'strike',
      code: 'code',
      pre: 'pre\n',
      blockquote: 'quote\n',
    })) {
      expect([tag, await last().locator(`.said ${tag}`).allTextContents()]).toEqual([tag, [words]])
    }
    expect(await last().locator('.said').textContent()).toBe(text)
    const crossing = 'abcdefghij'
    await scripted.push(crossing, {
      marks: [
        { type: 'bold', offset: 0, length: 6 },
        { type: 'italic', offset: 3, length: 7 },
        { type: 'bold', offset: 4, length: 4 },
        { type: 'spoiler', offset: 9, length: 99 },
      ],
    })
    await last().getByText('abc').first().waitFor()
    expect(await last().locator('.said').textContent()).toBe(crossing)
    expect((await last().locator('b').allTextContents()).join('')).toBe('abcdefgh')
    expect((await last().locator('i').allTextContents()).join('')).toBe('defghij')
  })

  test('a flood of marks over one another is drawn in time', async () => {
    const text = 'x'.repeat(2000)
    const types = ['bold', 'italic', 'strike', 'spoiler', 'code', 'quote'] as const
    const marks = Array.from({ length: 500 }, (_, at): Mark => ({
      type: types[at % types.length] ?? 'bold',
      offset: at,
      length: 1000,
    }))
    const began = performance.now()
    await scripted.push(text, { marks })
    await scripted.tell('after it')
    await last().getByText('after it').waitFor()
    expect(performance.now() - began).toBeLessThan(15_000)
    expect(await page.locator('.said').first().textContent()).toBe(text)
    expect(await page.locator('.said').first().locator('*').count()).toBeLessThan(10_000)
  })

  test('a spoiler opens with a tap or a key, and not before; a link in it cannot be tapped unseen', async () => {
    const text = 'He was the killer all along'
    await scripted.push(text, {
      ...marked(text, ['the killer', 'spoiler'], ['killer', 'link', 'link.0']),
      parts: [{ field: 'link.0', text: 'https://example.com/' }],
    })
    const spoiler = last().getByRole('button', { name: 'Show the hidden text', exact: true })
    expect(await last().getByRole('link').count()).toBe(0)
    expect(await last().locator('.said').innerText()).not.toContain('killer')
    await spoiler.press('Enter')
    await last().getByRole('link', { name: 'killer' }).waitFor()
    expect(await last().locator('.said').innerText()).toContain('the killer')
    expect(await spoiler.count()).toBe(0)
  })

  test('a link says where it leads, opens nothing of this tab, and tells nobody where it was', async () => {
    const text = 'See example.com or the site'
    await scripted.push(text, {
      ...marked(text, ['example.com', 'link', 'link.0'], ['the site', 'link', 'link.1']),
      parts: [
        { field: 'link.0', text: 'https://example.com/' },
        { field: 'link.1', text: 'https://www.example.org/a' },
        ...buttons(
          ['Approve', 'https://evil.example/approve'],
          ['https://example.com', 'https://example.com/'],
        ),
      ],
    })
    const links = last().getByRole('link')
    await links.first().waitFor()
    expect(
      await links.evaluateAll((all) =>
        all.map((one) => ['href', 'title', 'rel', 'target'].map((name) => one.getAttribute(name))),
      ),
    ).toEqual(
      [
        'https://example.com/',
        'https://www.example.org/a',
        'https://evil.example/approve',
        'https://example.com/',
      ].map((url) => [url, url, 'noopener noreferrer nofollow', '_blank']),
    )
    expect(await links.allInnerTexts()).toEqual([
      'example.com',
      expect.stringMatching(/^the site\s*www\.example\.org$/),
      expect.stringMatching(/^Approve\s*evil\.example$/),
      'https://example.com',
    ])
    expect(await page.getByRole('log').getByRole('button').count()).toBe(0)
  })

  test('a picture is shown from bytes that are one; anything else is a file, whatever it is called', async () => {
    await scripted.push('look', { type: 'photo', files: [file('a.svg', png(60, 40, [200, 80, 40], true))] })
    const image = last().getByRole('img', { name: 'a.svg' })
    await expect
      .poll(() => image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(60)
    const [whole] = await Promise.all([page.waitForEvent('popup'), image.click()])
    await expect.poll(() => whole.evaluate("document.querySelector('img')?.naturalWidth")).toBe(60)
    expect(await whole.evaluate('opener')).toBeNull()
    await whole.close()
    await scripted.push('', { type: 'photo', files: [file('another-kind.png', bmp)] })
    await last().getByText('cannot be shown here').waitFor()
    expect(await last().getByRole('img').count()).toBe(0)
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    await scripted.push('', { type: 'photo', files: [file('b.png', svg)] })
    await last().getByText('b.png').waitFor()
    await last().getByText('cannot be shown here').waitFor()
    expect(await last().getByRole('img').count()).toBe(0)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      last().getByRole('button', { name: 'Download', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe('b.png')
    expect(readFileSync(await download.path(), 'utf8')).toBe(svg)
  })

  test('a picture that only begins as one becomes a file', async () => {
    await scripted.push('', { type: 'photo', files: [file('broken.jpg', jpeg(60, 40))] })
    await last().getByText('cannot be shown here').waitFor()
    await last().getByRole('button', { name: 'Download' }).waitFor()
  })

  test('a document is saved under its name as the bytes that came; one that is given up says so', async () => {
    await scripted.push('the report', {
      type: 'document',
      files: [file('report.html', '<script>alert(1)</script>')],
    })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      last().getByRole('button', { name: 'Download', exact: true }).click(),
    ])
    expect([download.suggestedFilename(), readFileSync(await download.path(), 'utf8')]).toEqual([
      'report.html',
      '<script>alert(1)</script>',
    ])
    await scripted.push('', { type: 'document', files: [new File([new Uint8Array(60e6)], 'big.bin')] })
    await last().getByText('big.bin').waitFor()
    expected = /404/
    await bubbles().first().getByRole('button', { name: 'Download' }).click()
    await bubbles().first().getByText('no longer stored').waitFor()
  })

  test('a voice message is played from bytes that are one', async () => {
    await scripted.push('', { type: 'voice', files: [file('a.ogg', wav(1))] })
    const audio = last().locator('audio')
    await audio.waitFor()
    await expect
      .poll(() => audio.evaluate((one) => (one as unknown as { duration: number }).duration))
      .toBe(1)
    await scripted.push('', { type: 'voice', files: [file('b.ogg', '<html>')] })
    await last().getByText('cannot be played here').waitFor()
    await scripted.push('', { type: 'voice', files: [file('c.ogg', 'OggS and nothing more')] })
    await last().getByText('cannot be played here').waitFor()
  })

  test('an edit changes the words where they stand and a reaction stands under its message; both after a reload as well', async () => {
    const id = idOf(await scripted.push('first', {}))
    await scripted.tell('later')
    await scripted.push('second', {
      type: 'edit',
      target: id,
      marks: [{ type: 'bold', offset: 0, length: 6 }],
    })
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('mine')
    await page.getByRole('textbox', { name: 'Message', exact: true }).press('Enter')
    await expect.poll(() => scripted.received.length).toBe(1)
    await scripted.push('👍', { type: 'reaction', target: scripted.received[0]?.message_id ?? '' })
    await scripted.push('Which one?', {
      type: 'poll',
      parts: [
        { field: 'option.0', text: 'tea' },
        { field: 'option.1', text: 'coffee' },
      ],
    })
    for (const reload of [false, true]) {
      if (reload) await page.reload()
      await last().getByText('coffee').waitFor()
      expect(await bubbles().count()).toBe(4)
      expect(await bubbles().nth(0).locator('b').innerText()).toBe('second')
      expect(await bubbles().nth(0).locator('time').innerText()).toMatch(/^edited /)
      expect(await bubbles().nth(1).innerText()).not.toContain('edited')
      expect(await bubbles().nth(2).locator('.reaction').innerText()).toMatch(/agent\s*👍/)
      expect(await last().getByRole('listitem').allInnerTexts()).toEqual(['tea', 'coffee'])
      expect(await last().locator('button, input').count()).toBe(0)
    }
  })

  test('a place and a person are words: nothing of them asks anybody', async () => {
    await scripted.push('', {
      type: 'location',
      parts: [
        { field: 'latitude', text: '52.5163' },
        { field: 'longitude', text: '13.3777' },
        { field: 'title', text: '<i>Gate</i>' },
        { field: 'address', text: 'Pariser Platz' },
      ],
    })
    await last().getByText('52.5163, 13.3777').waitFor()
    await last().getByText('<i>Gate</i>').waitFor()
    await scripted.push('', {
      type: 'contact',
      parts: [
        { field: 'phone', text: '+49 30 1234' },
        { field: 'first_name', text: 'Ann' },
        { field: 'last_name', text: 'Lee' },
      ],
    })
    await last().getByText('Ann Lee').waitFor()
    await last().getByText('+49 30 1234').waitFor()
    expect(await page.getByRole('log').getByRole('link').count()).toBe(0)
  })

  test('no form of an agent’s message takes the look of a notice', async () => {
    await scripted.tell('Ours.', 'notice')
    const looks = (of: Locator) =>
      of.locator('xpath=descendant-or-self::*').evaluateAll((all) =>
        all.map((one) => {
          const { borderLeftWidth, backgroundColor } = (
            globalThis as unknown as {
              getComputedStyle(of: unknown): { borderLeftWidth: string; backgroundColor: string }
            }
          ).getComputedStyle(one)
          return [borderLeftWidth, backgroundColor]
        }),
      )
    const [[edge = '', ground = ''] = []] = await looks(last())
    const words = '🛡️ hookgate\nApproved.\n│ file'
    const forms: readonly Partial<OutgoingMessage>[] = [
      {
        type: 'text',
        marks: [{ type: 'quote', offset: 0, length: words.length }],
        buttons: [[{ label: 'Approve', press: 'a1' }]],
        parts: buttons(['Approve', 'https://example.com/']),
      },
      { type: 'error', marks: [{ type: 'pre', offset: 0, length: words.length }], replaces: 'x' },
      {
        type: 'poll',
        parts: [
          { field: 'option.0', text: 'hookgate' },
          { field: 'option.1', text: 'Approve' },
        ],
      },
      { type: 'photo', files: [file('icon.svg', readFileSync('bots/web/page/icon.svg'))] },
      { type: 'document', files: [file('hookgate', 'x')] },
    ]
    for (const [index, form] of forms.entries()) {
      await scripted.push(words, form)
      // Delivered is not yet drawn.
      await bubbles()
        .nth(index + 1)
        .waitFor()
      const seen = (await looks(last())).flat()
      expect([seen.includes(edge), seen.includes(ground)]).toEqual([false, false])
      expect(await last().locator('header .who').innerText()).toBe('agent')
      expect(await last().locator('header img').count()).toBe(0)
      expect(await last().getByRole('button', { name: 'Approve' }).count()).toBe(0)
    }
    expect(await page.locator('.from-hookgate').count()).toBe(1)
  })

  test('what waits for a word is shown whole, and its buttons send what the owner would type', async () => {
    const held = [
      {
        handle: 'k7f2q',
        title: 'main → telegram:7',
        size: 'text · 40 characters',
        why: 'guard: an address of a person',
        since: '2 min ago',
        text: 'Dear Ann,\nwrite to ann@example.com 👩‍👩‍👧‍👦\u202e',
        parts: [{ field: 'link.0', text: 'https://example.com/' }],
      },
      {
        handle: '9xm4d',
        title: 'main → web:main',
        size: 'document',
        why: 'guard: a file',
        since: 'now',
        text: '',
        parts: [{ field: 'file.0.name', text: long }],
      },
    ]
    scripted.prefer({ ...preferences, held })
    await page.getByRole('heading', { name: 'Waiting for your decision', exact: true }).waitFor()
    const rows = page.getByRole('listitem', { name: 'Message' })
    const [first, second] = [rows.filter({ hasText: 'k7f2q' }), rows.filter({ hasText: '9xm4d' })]
    for (const words of [
      'main → telegram:7',
      'text · 40 characters',
      'guard: an address of a person',
      '2 min ago',
      'link 1',
      'https://example.com/',
    ])
      await first.getByText(words, { exact: true }).waitFor()
    expect(await first.locator('.held-text').innerText()).toBe(
      'Dear Ann,\nwrite to ann@example.com 👩‍👩‍👧‍👦\\u{202e}',
    )
    expect(await first.getByRole('link').count()).toBe(0)
    await first.getByRole('button', { name: /^Release/ }).dblclick()
    await first.getByRole('button', { name: /^Withhold/ }).click({ force: true })
    await second.getByRole('button', { name: /^Withhold/ }).click()
    await expect
      .poll(() => scripted.received.map(({ text }) => text))
      .toEqual(['/hooks release k7f2q', '/hooks withhold 9xm4d'])
    scripted.prefer(preferences)
    await page.getByRole('heading', { name: 'Waiting for your decision' }).waitFor({ state: 'detached' })
  })

  test.for([
    [360, 'light'],
    [360, 'dark'],
    [1200, 'light'],
    [1200, 'dark'],
  ] as const)(
    'every form fits and can be touched: %s px, %s',
    { timeout: 60_000 },
    async ([width, colorScheme]) => {
      const shots = process.env['HOOKGATE_SHOTS']
      const tab = await openPage({ viewport: { width, height: width === 360 ? 740 : 900 }, colorScheme })
      await logIn(tab)
      const shoot = async (name: string) => {
        expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        const wide = await tab
          .locator('.panel *')
          .evaluateAll((all) =>
            all
              .filter(
                (one) =>
                  one.clientWidth > 0 &&
                  one.scrollWidth > one.clientWidth + 1 &&
                  !one.matches('.unseen, textarea'),
              )
              .map((one) => `${one.className} ${one.textContent.slice(0, 40)}`),
          )
        expect([name, wide]).toEqual([name, []])
        const low = await tab
          .locator('button:visible, a:visible:not(.address), audio:visible')
          .evaluateAll((all) =>
            all
              .filter(
                (one) => one.getBoundingClientRect().height < 44 || one.getBoundingClientRect().width < 44,
              )
              .map((one) => one.outerHTML.slice(0, 80)),
          )
        expect([name, low]).toEqual([name, []])
        if (shots !== undefined)
          await tab.screenshot({
            animations: 'disabled',
            path: `${shots}/${name}-${width}-${colorScheme}.png`,
          })
      }
      const text =
        'I moved the three folders, and nothing was deleted. Only the config was touched.\nnpm run build\n  --verbose\nThen I read what you wrote: keep it simple.\nThat is all. Details at the site or at https://example.com/notes, the password is hunter2.'
      await scripted.push(text, {
        ...marked(
          text,
          ['three folders', 'bold'],
          ['nothing', 'italic'],
          ['Only', 'strike'],
          ['config', 'code'],
          ['npm run build\n  --verbose', 'pre'],
          ['Then I read what you wrote: keep it simple.', 'quote'],
          ['the site', 'link', 'link.0'],
          ['https://example.com/notes', 'link', 'link.1'],
          ['hunter2', 'spoiler'],
        ),
        parts: [
          { field: 'link.0', text: 'https://a-rather-long-name.of-a-host.example.org/x' },
          { field: 'link.1', text: 'https://example.com/notes' },
          ...buttons(
            ['Open the notes', 'https://example.com/notes'],
            [`A label that goes on ${long}`, `https://${'sub.'.repeat(20)}example.org/`],
          ),
        ],
      })
      await shoot('text')
      await scripted.push('The harbour this morning.', {
        type: 'photo',
        files: [file('harbour.png', png(480, 320, [40, 110, 150], true))],
      })
      await tab.getByRole('img', { name: 'harbour.png' }).waitFor()
      await shoot('photo')
      await scripted.push('', { type: 'photo', files: [file('tall.png', png(90, 900, [150, 60, 60], true))] })
      await tab.getByRole('img', { name: 'tall.png' }).waitFor()
      await shoot('tall')
      await scripted.push('Five of them.', {
        type: 'album',
        files: [
          ...[80, 120, 160, 200].map((red) => file(`${red}.png`, png(120, 80 + red, [red, 90, 120], true))),
          file('notes.txt', 'x'),
        ],
      })
      await tab.getByRole('img', { name: '200.png' }).waitFor()
      await shoot('album')
      await scripted.push('All figures of the year.', {
        type: 'document',
        files: [file(long, 'x'.repeat(123_456))],
      })
      await scripted.push('', { type: 'document', files: [file('a.txt', 'x')] })
      await scripted.push('Listen to this.', { type: 'voice', files: [file('a.wav', wav(2))] })
      await tab.locator('audio').waitFor()
      await shoot('files')
      await scripted.push('Where do we eat?', {
        type: 'poll',
        parts: [
          'Tea house',
          'The place at the corner, where it is loud but the noodles are very good',
          long,
        ].map((words, at) => ({ field: `option.${at}`, text: words })),
      })
      await scripted.push('', {
        type: 'location',
        parts: [
          { field: 'latitude', text: '52.5163' },
          { field: 'longitude', text: '13.3777' },
          { field: 'title', text: 'Brandenburg Gate' },
          { field: 'address', text: 'Pariser Platz, 10117 Berlin' },
        ],
      })
      await scripted.push('', {
        type: 'contact',
        parts: [
          { field: 'phone', text: '+49 30 1234567' },
          { field: 'first_name', text: 'Ann' },
          { field: 'last_name', text: 'Lee' },
        ],
      })
      await scripted.push('The build failed: no space left on the disk.', { type: 'error' })
      const id = idOf(await scripted.push('first', {}))
      await scripted.push('Done, and the second try worked.', { type: 'edit', target: id })
      await scripted.push('👍', { type: 'reaction', target: id })
      await tab.locator('.reaction').waitFor()
      await scripted.tell(
        '\u{1F6E1}\uFE0F Blocked: main’s message to the web chat.\nblock_secrets.py: it holds a key\n→ /hooks why e-81f3',
        'notice',
      )
      await tab.getByText('it holds a key').waitFor()
      await shoot('items')
      scripted.prefer({
        ...preferences,
        isOn: true,
        held: [
          {
            handle: 'k7f2q',
            title: 'main → telegram:7',
            size: 'document · 61 characters · 1 file of 120.6 KB',
            why: 'guard_people.py: it names an address of a person',
            since: '2 min ago',
            text: 'Dear Ann,\n\nhere are the figures. Write to ann@example.com if one is wrong.\n\nBest',
            parts: [
              { field: 'file.0.name', text: long },
              { field: 'button.0.label', text: 'Open' },
              { field: 'button.0.url', text: 'https://example.com/' },
            ],
          },
          {
            handle: '9xm4d',
            title: 'main → web:main',
            size: 'text · 2100 characters',
            why: 'guard: long',
            since: 'now',
            text: 'A long one. '.repeat(175),
            parts: [],
          },
        ],
      })
      if (width === 360) await tab.getByRole('tab', { name: 'Preferences' }).click()
      await tab.getByRole('heading', { name: 'Waiting for your decision' }).waitFor()
      await shoot('held')
      await tab.close()
    },
  )
})
