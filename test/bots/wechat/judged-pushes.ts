/** Random pushes of every form through a real dispatcher, before a judge that lets no canary pass. */
import { believing } from '../../consent.ts'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { connectDispatcher } from '../../../src/compose/outbound.ts'
import type { Dispatcher } from '../../../src/core/dispatcher/dispatcher.ts'
import {
  FORMS,
  PUSH_TYPES,
  type PushForm,
  type TextField,
  type PushType,
} from '../../../src/core/model/chat/content.ts'
import type { Channel } from '../../../src/core/model/chat/channel.ts'
import type { AgentPush } from '../../../src/core/model/chat/push.ts'
import type { Payload } from '../../../src/core/model/events/payload.ts'
import { createFileStore } from '../../../src/store/files.ts'
import { openStoreHere } from '../../store/here.ts'
import { canary, holdsCanary } from './smuggled.ts'

const hidden = [
  canary,
  Buffer.from(canary).toString('base64'),
  Buffer.from(canary).toString('hex'),
  encodeURIComponent(canary),
]
/** What is stripped before it is judged: taken out afterwards, it would put the secret together. */
const broken = ['\u{1F6E1}', '\u{1F6E1}\uFE0F'].map(
  (mark) => `${canary.slice(0, 6)}${mark}${canary.slice(6)}`,
)
const clean = fc.constantFrom('hello', 'two\nlines', '/hooks off', 'x'.repeat(2500), ' ', '界🙂')
const dirty = fc.oneof(
  fc.constantFrom(...hidden, ...broken),
  fc.integer({ min: 1900, max: 2010 }).map((before) => `${'y'.repeat(before)}${canary}`),
)
const words = fc.oneof({ weight: 5, arbitrary: clean }, { weight: 1, arbitrary: dirty })
const address = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('https://a.example/', 'https://t.me/x?start=y', 'javascript:x') },
  { weight: 1, arbitrary: fc.constantFrom(...hidden).map((text) => `https://a.example/?q=${text}`) },
)
const degrees = fc.oneof({ weight: 5, arbitrary: fc.constant('52.5') }, { weight: 1, arbitrary: dirty })
const file = fc.record({
  name: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('a.txt', '../b.png', '.') },
    { weight: 1, arbitrary: fc.constantFrom(...hidden, ...broken).map((text) => `${text}.txt`) },
  ),
  type: fc.constant('text/plain'),
  bytes: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        Buffer.from('clean'),
        Buffer.alloc(0),
        Buffer.from('89504e470d0a1a0a00', 'hex'),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...hidden.map((text) => Buffer.from(`before ${text}`)),
        Buffer.from(canary, 'utf16le'),
      ),
    },
  ),
})

const valueOf = (field: string): fc.Arbitrary<string> =>
  /^(link|button)\.N(\.url)?$/.test(field) ? address : field.endsWith('itude') ? degrees : words

/** As many of each part as the form takes, few of them. */
const partsOf = (form: PushForm): fc.Arbitrary<readonly TextField[]> => {
  const count = fc.integer({ min: 0, max: 2 })
  return count.chain((more) =>
    fc.tuple(
      ...Object.entries(form.parts).flatMap(([field, [least, most]]) =>
        Array.from({ length: Math.min(most, least + more) }, (_, at) =>
          valueOf(field).map((text) => ({ field: field.replace('N', String(at)), text })),
        ),
      ),
    ),
  )
}

const pushOf = (
  type: PushType,
): fc.Arbitrary<
  Pick<AgentPush, 'type' | 'text' | 'parts' | 'marks' | 'files'> & { readonly target?: string }
> => {
  const form: PushForm = FORMS[type]
  const [least, most] = form.files
  return fc.record({
    type: fc.constant(type),
    text: form.text === 'none' ? fc.constant('') : words,
    parts: partsOf(form),
    marks: fc.constantFrom(
      [],
      [{ type: 'bold', offset: 0, length: 1 }] as const,
      [{ type: 'link', offset: 0, length: 1, field: 'link.0' }] as const,
    ),
    files: fc.array(file, { minLength: least, maxLength: Math.min(most, 3) }),
    ...(form.target === undefined ? {} : { target: fc.constantFrom('p1', 'none') }),
  }) as never
}
const push = fc.constantFrom(...PUSH_TYPES).chain(pushOf)

/** Lets pass what holds no canary; takes it out of words where it may rewrite. */
const judgeOf = (rewrites: () => boolean, counts: { stopped: number }) => async (payload: Payload) => {
  const notification = payload['notification'] as string
  const texts = [
    notification,
    ...(payload['parts'] as unknown as readonly TextField[]).map(({ text }) => text),
  ]
  const files = payload['files'] as unknown as readonly { readonly path: string }[]
  const isIn = {
    words: texts.some(holdsCanary),
    files: files.some(({ path }) => holdsCanary(readFileSync(path))),
  }
  const rest = {
    isConsent: false,
    contexts: [],
    notes: [],
    warnings: [],
    hooks: [],
    revision: 1,
    by: 'the judge',
    reason: 'it holds it',
  }
  if (!isIn.words && !isIn.files) return { ...rest, verdict: 'allow' as const, payload }
  counts.stopped += 1
  if (isIn.files || !rewrites()) return { ...rest, verdict: 'block' as const, payload }
  const without = (text: string): string => (holdsCanary(text) ? 'out' : text)
  const parts = (payload['parts'] as unknown as readonly TextField[]).map(({ field, text }) => ({
    field,
    text: without(text),
  }))
  return {
    ...rest,
    verdict: 'allow' as const,
    payload: { ...payload, notification: without(notification), parts } as Payload,
  }
}

/**
 * `hear` is called before each push, for a messenger that lets nothing leave unasked. `bind` gives the
 * channel the dispatcher's door.
 */
export const pushAll = async ({
  channel,
  chatId,
  runs,
  bind,
  hear,
}: {
  readonly channel: Channel
  readonly chatId: string
  readonly runs: number
  bind(isAdmitted: Dispatcher['isAdmitted']): void
  hear(): Promise<void>
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-pushes-'))
  const log = (): void => undefined
  const store = await openStoreHere({ path: join(folder, 'state.db'), log })
  const counts = { stopped: 0 }
  const ends = new Map<string, number>()
  let ids = 0
  const { dispatcher } = connectDispatcher({
    ownerOf: believing,
    judge: judgeOf(() => ids % 2 === 0, counts),
    gate: () => ({ revision: 1 }),
    inert: () => [],
    shadows: () => 0,
    isHeard: () => true,
    buttonsLeft: () => undefined,
    shown: () => undefined,
    translateFor: () => () => undefined,
    zoneFor: () => ({ name: 'UTC', isOwn: false }),
    ownerChats: () => [],
    store,
    files: createFileStore(join(folder, 'files')),
    workspace: folder,
    previews: () => true,
    channel: () => ({ ...channel, limits: [] }),
    newId: () => String(++ids),
    after: (delayMs, run) => void setTimeout(run, delayMs),
    elapsedMs: () => performance.now(),
    now: Date.now,
    log,
  })
  bind(dispatcher.isAdmitted)
  let pushed = 0
  await fc.assert(
    fc.asyncProperty(push, async (what) => {
      await hear()
      const result = await dispatcher.push({
        ...what,
        push_id: `p${++pushed}`,
        agent_id: 'main',
        session_id: 's',
        cwd: folder,
        channel: 'wechat',
        chat_id: chatId,
      })
      const end = 'outcome' in result ? `${what.type} ${result.outcome}` : 'refused'
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }),
    { numRuns: runs, endOnFailure: true },
  )
  await store.close()
  rmSync(folder, { recursive: true, force: true })
  expect(counts.stopped).toBeGreaterThan(runs / 10)
  return { ends, stopped: counts.stopped }
}
