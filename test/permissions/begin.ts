import { canonicalJson } from '../../src/core/model/approval/canonical.ts'
import type { EventName } from '../../src/core/model/events/event.ts'
import { noticeOf } from '../../src/core/model/chat/notice.ts'
import { coverOf } from '../../src/core/gatekeeper/grants/pattern-cover.ts'
import type { Grant } from '../../src/core/model/gate/grant.ts'
import type { Ending, StoredQuestion, Question } from '../../src/shared/gate/permission.ts'
import { fixed, proseText } from '../../src/core/model/chat/prose.ts'
import type { Address } from '../../src/core/model/chat/push.ts'
import type { EventRecord } from '../../src/core/model/events/record.ts'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'
import { createPermissions, type PermissionRequest } from '../../src/permissions/permissions.ts'
import { verdictOn } from '../verdict.ts'

export const seven: Address = { channel: 'telegram', chat_id: '7' }
export const eight: Address = { channel: 'telegram', chat_id: '8' }
export const page: Address = { channel: 'web', chat_id: 'main' }

/** The permissions over hooks, chats and a clock that a test sets. */
export const begin = (
  over: {
    readonly listed?: readonly string[]
    readonly chats?: readonly Address[]
    readonly isSlow?: true
    /** An edited message keeps its id, as with a messenger. */
    readonly edits?: true
    /** What an earlier run left on disk. */
    readonly stored?: Map<string, StoredQuestion>
  } = {},
) => {
  const stored = over.stored ?? new Map<string, StoredQuestion>()
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>()
  const state = {
    nowMs: 1_000_000,
    elapsedMs: 5000,
    revision: 1,
    lockdown: undefined as string | undefined,
    isDeaf: false,
    owners: new Set(['telegram:7', 'telegram:8', 'wechat:w']),
    chats: over.chats ?? [page, seven, eight],
    grants: [] as readonly Grant[],
    /** The fingerprints of hooks whose bytes are not the gate's own copy. */
    unsealed: new Set<string>(),
    /** What the store has. */
    uses: undefined as string | undefined,
    isStoreFull: false,
  }
  const told: {
    readonly address: Address
    readonly text: string
    readonly replaces?: string
    readonly isPinned?: boolean
  }[] = []
  const arrivals: (() => void)[] = []
  const fired: { readonly event: EventName; readonly fields: object }[] = []
  const records: EventRecord[] = []
  const asked: Question[] = []
  const hooks: Partial<Record<EventName, (fields: PermissionRequest['fields']) => Partial<Verdict>>> = {
    pre_tool_call: () => ({ verdict: 'ask', reason: 'it says so', by: 'guard' }),
  }
  let count = 0
  const say = (
    address: Address,
    said: Parameters<typeof noticeOf>[0],
    delivered?: (id: string | undefined) => void,
  ): void => {
    const { text, replaces, isPinned } = noticeOf(said)
    const id = over.edits === true ? (replaces ?? `m${++count}`) : `m${++count}`
    told.push({
      address,
      text: proseText(text),
      ...(replaces === undefined ? {} : { replaces }),
      ...(isPinned === undefined ? {} : { isPinned }),
    })
    const arrive = (): void => delivered?.(address.channel === 'wechat' ? undefined : id)
    if (over.isSlow) arrivals.push(arrive)
    else arrive()
  }
  const permissions = createPermissions({
    fire: ({ event, fields, agentId, sessionId, cwd }) => {
      fired.push({ event, fields })
      if (state.isDeaf && event === 'on_permission_decision') return new Promise(() => undefined)
      const payload = {
        ...fields,
        event,
        event_id: `e${++count}`,
        timestamp: '',
        session_id: sessionId,
        agent_id: agentId,
        cwd,
        attempt: 1,
      }
      const none = verdictOn(payload, 'allow', state.revision)
      if (state.lockdown !== undefined)
        return Promise.resolve({
          kind: 'verdict',
          verdict: { ...none, verdict: 'block', reason: state.lockdown },
        })
      const { payload: rewritten, ...said } = hooks[event]?.(fields) ?? {}
      return Promise.resolve({
        kind: 'verdict',
        verdict: { ...none, ...said, payload: { ...payload, ...rewritten } },
      })
    },
    listed: () => over.listed ?? [],
    canonical: canonicalJson,
    mayAnswer: (id) => state.owners.has(id),
    isOwner: (id) => state.owners.has(id),
    grants: () => state.grants,
    coverOf,
    isSealed: (fingerprint) => !state.unsealed.has(fingerprint),
    recallUses: () => Promise.resolve(state.uses),
    rememberUses: (counts) => {
      if (state.isStoreFull) return Promise.reject(new Error('full'))
      state.uses = counts
      return Promise.resolve()
    },
    gate: () => ({
      revision: state.revision,
      ...(state.lockdown === undefined ? {} : { lockdown: state.lockdown }),
    }),
    record: (record) => void records.push(record),
    stored: {
      put: (question) => void stored.set(question.key, question),
      set: (key, next) => {
        const question = stored.get(key)
        if (question !== undefined) stored.set(key, { ...question, state: next })
      },
      remove: (key) => void stored.delete(key),
      all: () => Promise.resolve([...stored.values()]),
      ways: () => ({ handles: [], buttons: [] }),
      restoreWays: () => undefined,
    },
    chats: () => state.chats,
    tellOwners: (said) => void told.push({ address: page, text: proseText(noticeOf(said).text) }),
    notify: (...said) => Promise.resolve(say(...said)),
    card: (question, _, { opens } = {}) => {
      asked.push(question)
      return fixed(`card ${question.tool_name}${opens === undefined ? '' : ` ${opens}`}`)
    },
    over: (_, { kind }: Ending) => fixed(`over ${kind}`),
    newId: () => `id${++count}`,
    now: () => state.nowMs,
    elapsedMs: () => state.elapsedMs,
    after: (delayMs, run) => {
      const timer = { atMs: state.elapsedMs + delayMs, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  })
  const pass = (ms: number): void => {
    state.nowMs += ms
    state.elapsedMs += ms
    for (const timer of timers) if (timer.atMs <= state.elapsedMs && timers.delete(timer)) timer.run()
  }
  const base: PermissionRequest = {
    agentId: 'main',
    event: 'pre_tool_call',
    sessionId: 's',
    cwd: '/w',
    fields: { tool_name: 'bash', tool_input: { command: 'ls' } },
    chain: [],
    askMs: 60_000,
  }
  const fire = async (more: Partial<PermissionRequest> = {}) => {
    const { kind, ...rest } = await permissions.fire({ ...base, ...more })
    if (kind !== 'verdict' || !('verdict' in rest)) throw new Error('It was a loop.')
    return rest.verdict
  }
  /** Until what was fired waits, or is through. */
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  const answer = (
    word: Parameters<typeof permissions.answer>[1],
    {
      owner = 'telegram:7',
      address = seven,
      at = -1,
      on,
    }: {
      readonly owner?: string
      readonly address?: Address
      readonly at?: number
      readonly on?: string
    } = {},
  ) =>
    permissions.answer(permissions.waiting().at(at)?.key ?? asked.at(-1)?.key ?? '', word, {
      owner,
      address,
      ...(on === undefined ? {} : { on_message_id: on }),
    })
  return {
    permissions,
    stored,
    state,
    told,
    arrivals,
    fired,
    records,
    asked,
    hooks,
    timers,
    pass,
    fire,
    settled,
    answer,
  }
}

export const once = { kind: 'once' } as const
export const no = { kind: 'deny', words: '' } as const
