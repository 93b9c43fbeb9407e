import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plain } from '../../src/core/model/chat/content.ts'
import type { AgentPush } from '../../src/core/model/chat/push.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import { isBrowserMissing, launchBrowser, openTab, type Tab } from './browser.ts'

const asks = `#!/bin/sh\nprintf '%s' '{"decision": "ask", "reason": "it names a person"}'\n`

describe.skipIf(isBrowserMissing)('what waits for a word, on the page of a whole gate', () => {
  let browser: Browser
  let plane: Plane
  let tab: Tab
  beforeAll(async () => {
    browser = await launchBrowser()
    plane = await startPlane(
      'hooks:\n  - {event: on_outbound_message, matcher: customer, command: ./ask.sh}\n',
      { 'ask.sh': asks },
    )
    await plane.ask('/hooks approve on_outbound_message ./ask.sh', (text) => text.includes('✓ Approved'))
    await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
    const { login } = plane.gate.invite()
    tab = await openTab(browser, new URL(login).origin)
    await tab.page.goto(login)
    await tab.page.getByText('Connected', { exact: true }).waitFor()
  })
  afterAll(async () => {
    await plane.stop()
    await browser.close()
  })

  let count = 0
  const push = (over: Partial<AgentPush>) =>
    plane.gate.dispatcher.push({
      channel: 'memory',
      chat_id: 'owner',
      push_id: `p${++count}`,
      agent_id: 'main',
      session_id: 's',
      cwd: plane.workspace,
      ...plain('text', ''),
      files: [],
      ...over,
    })
  const row = (words: string) =>
    tab.page.getByRole('listitem', { name: 'Message' }).filter({ hasText: words })

  test('is read there whole, and leaves with a tap', async () => {
    expect(
      await push({
        text: 'Dear customer 4711,\nyour order is on its way.',
        parts: [
          { field: 'button.0.label', text: 'Track it' },
          { field: 'button.0.url', text: 'https://example.com/4711' },
        ],
      }),
    ).toMatchObject({ outcome: 'held' })
    for (const words of [
      'Dear customer 4711,',
      'Track it',
      'https://example.com/4711',
      './ask.sh: it names a person',
      'main → memory:owner',
    ])
      await row('4711').getByText(words).waitFor()
    expect(plane.texts().join('\n')).not.toContain('4711')
    await row('4711')
      .getByRole('button', { name: /^Release/ })
      .click()
    await until('it', () => plane.texts().some((text) => text.startsWith('Dear customer 4711')))
    await tab.page.getByRole('heading', { name: 'Waiting for your decision' }).waitFor({ state: 'detached' })
  })

  test('ends with a tap, and nobody gets it', async () => {
    expect(
      await push({
        type: 'document',
        text: 'of the customer',
        files: [{ name: 'customer.txt', type: 'text/plain', bytes: Buffer.from('x') }],
      }),
    ).toMatchObject({ outcome: 'held' })
    await row('customer.txt').getByText('1 file').waitFor()
    await row('customer.txt')
      .getByRole('button', { name: /^Withhold/ })
      .click()
    await tab.page.getByRole('heading', { name: 'Waiting for your decision' }).waitFor({ state: 'detached' })
    await tab.page.getByRole('log').getByText('Withheld: a message from').waitFor()
    expect(
      plane.memory.sent().some(({ text, kind }) => kind === 'push' && text.includes('of the customer')),
    ).toBe(false)
    expect(tab.complaints).toEqual([])
  })
})
