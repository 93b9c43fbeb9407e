import { believing } from '../../consent.ts'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createWeb } from '../../../bots/web/web.ts'
import { connectDispatcher } from '../../../src/compose/outbound.ts'
import type { Payload } from '../../../src/core/model/events/payload.ts'
import type { Verdict } from '../../../src/core/model/hooks/verdict.ts'
import { createFileStore } from '../../../src/store/files.ts'
import { openClient } from '../../fixtures/page-client.ts'
import { seenIn } from './canary.ts'
import { pushes, type RandomPush } from './random-forms.ts'
import { preferences } from './scripted-web.ts'
import { isWhole, tries } from '../../tries.ts'

/**
 * Through the real door: what a hook blocks is in nothing that a session is answered, in whatever form it was
 * pushed.
 */
const runs = tries(3000)
const here = { channel: 'web', chat_id: 'main' } as const

/** What a hook sees of a push: its words, its parts, and its files by path. */
const readBy = async (payload: Payload): Promise<string> => {
  const files = (payload['files'] ?? []) as readonly { readonly path: string }[]
  const bytes = await Promise.all(files.map(({ path }) => readFile(path, 'latin1')))
  return [JSON.stringify(payload['notification']), JSON.stringify(payload['parts']), ...bytes].join('\n')
}

const judge = async (payload: Payload): Promise<Verdict> => {
  const isBad = payload.event === 'on_outbound_message' && seenIn(await readBy(payload)).length > 0
  return {
    verdict: isBad ? 'block' : 'allow',
    isConsent: false,
    payload,
    contexts: [],
    notes: [],
    warnings: [],
    hooks: [],
    revision: 1,
    ...(isBad ? { reason: 'a secret', by: 'guard' } : {}),
  }
}

test('what a hook blocks reaches no session, in whatever form; what it lets pass does, with its files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-canary-'))
  const timers = new Set<NodeJS.Timeout>()
  const trips: string[] = []
  const ignored = (): void => {}
  const web = createWeb(
    { host: '127.0.0.1', port: 0 },
    {
      receive: ignored,
      isAdmitted: (outgoing) => dispatcher.isAdmitted(outgoing),
      tripped: (_, what) => void trips.push(what),
      trouble: ignored,
      menu: [],
      now: Date.now,
      elapsedMs: () => performance.now(),
      log: ignored,
      preferences: () => Promise.resolve(preferences),
      onPreferences: () => ignored,
      loginMisused: ignored,
    },
  )
  let ids = 0
  const done = (): Promise<void> => Promise.resolve()
  const { dispatcher } = connectDispatcher({
    judge,
    gate: () => ({ revision: 1 }),
    inert: () => [],
    shadows: () => 0,
    isHeard: () => true,
    previews: () => true,
    ownerOf: believing,
    buttonsLeft: ignored,
    shown: ignored,
    translateFor: () => () => undefined,
    zoneFor: () => ({ name: 'UTC', isOwn: false }),
    ownerChats: () => [here],
    channel: (name) => (name === 'web' ? web : undefined),
    store: {
      putOutbox: done,
      setOutbox: done,
      removeOutbox: done,
      addRecord: ignored,
      outbox: () => Promise.resolve([]),
      ended: () => Promise.resolve([]),
      hasSeen: () => Promise.resolve(false),
    },
    files: createFileStore(join(folder, 'files')),
    workspace: folder,
    elapsedMs: () => performance.now(),
    newId: () => `id-${++ids}`,
    after: (delayMs, run) => void timers.add(setTimeout(run, delayMs)),
    now: Date.now,
    log: ignored,
  })
  await web.start()
  const client = await openClient(`${web.url()}/#${web.mintLogin()}`)
  const stream = (await client.stream()).body?.getReader()
  let unread = ''
  const readTo = async (marker: string): Promise<string> => {
    while (!unread.includes(marker)) {
      const piece = await stream?.read()
      if (piece?.value === undefined) throw new Error('The stream ended.')
      unread += Buffer.from(piece.value).toString('latin1')
    }
    const text = unread
    unread = ''
    return text
  }
  const push = (asked: RandomPush, target: string, push_id = `push-${++ids}`) =>
    dispatcher.push({
      ...here,
      push_id,
      agent_id: 'main',
      session_id: 's',
      cwd: folder,
      ...asked,
      ...(asked.type === 'edit' || asked.type === 'reaction' ? { target } : {}),
    })
  const plain: RandomPush = { type: 'text', text: 'honest', marks: [], parts: [], files: [] }
  const seen: Record<string, number> = {}
  const count = (what: string): void => void (seen[what] = (seen[what] ?? 0) + 1)

  const property = fc.asyncProperty(pushes, async ({ honest, poisoned }) => {
    const isShown = web.forms.includes(honest.type)
    // What an edit is about scrolls away in the end.
    const target = `about-${++ids}`
    expect(await push(plain, '', target)).toMatchObject({ outcome: 'delivered' })
    const send = async (asked: RandomPush): Promise<string> => {
      const result = await push(asked, target)
      return 'outcome' in result ? result.outcome : 'refused'
    }
    if (poisoned !== undefined) {
      expect(await send(poisoned)).toBe(isShown ? 'withheld' : 'refused')
      count('poisoned')
    }
    expect(await send(honest)).toBe(isShown ? 'delivered' : 'refused')
    const marker = `marker-${++ids}.`
    await push({ ...plain, text: marker }, '')
    const lines = await readTo(marker)
    expect(seenIn(lines)).toEqual([])
    for (const [, id = ''] of lines.matchAll(/"files":\[\{"id":"([^"]+)"/g)) {
      const path = `/api/files/${id}`
      const response = await fetch(`${web.url()}${path}`, { headers: client.headers('GET', path) })
      expect(response.status).toBe(200)
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(honest.files.some((file) => bytes.equals(file.bytes))).toBe(true)
      count('file')
    }
    count(honest.type)
  })
  try {
    await fc.assert(property, { numRuns: runs })
    const late = await client.stream()
    const history = await late.body?.getReader().read()
    expect(seenIn(Buffer.from(history?.value ?? []).toString('latin1'))).toEqual([])
  } finally {
    for (const timer of timers) clearTimeout(timer)
    await web.stop()
    await rm(folder, { recursive: true, force: true })
  }
  expect(trips).toEqual([])
  if (!isWhole()) return
  for (const form of web.forms) expect([form, (seen[form] ?? 0) > 20]).toEqual([form, true])
  expect([(seen['poisoned'] ?? 0) > runs / 2, (seen['file'] ?? 0) > runs / 10]).toEqual([true, true])
}, 120_000)
