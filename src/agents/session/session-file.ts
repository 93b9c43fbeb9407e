import { createHash } from 'node:crypto'
import { appendFile, lstat, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureFolder } from '../tools/folders.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { asJson, isMessage } from '../../shared/chat/message.ts'
import { chatKey, type Address } from '../../core/model/chat/push.ts'
import type { ToolUse } from '../../shared/events/evidence.ts'
import { readBytes } from '../tools/files.ts'
import { newSession, type Session } from './session.ts'

const maxFileBytes = 8 * 1024 * 1024
const maxReadBytes = 2 * maxFileBytes
const maxTools = 100
const maxFiles = 200

/** Stores the sessions of an agent in one file for each chat, in a folder of the agent's own. */
export interface SessionFiles {
  /** Loads the session of a chat. Never rejects. Resolves with undefined when it cannot be read. */
  load(address: Address): Promise<Session | undefined>
  /** Saves the session. Never rejects. After a failed write only a later start lacks the conversation. */
  save(address: Address, session: Session): Promise<void>
  drop(address: Address): Promise<void>
}

const line = (value: object): string => `${JSON.stringify(value)}\n`

const stateFields = [
  'goal',
  'isGoalSet',
  'isAsking',
  'refusedClaims',
  'steps',
  'usedTokens',
  'answerTokens',
  'tools',
  'lastMessage',
] as const satisfies readonly (keyof Session)[]

const stateOf = (session: Session): object =>
  Object.fromEntries(stateFields.map((field) => [field, session[field]]))

/**
 * Returns the first message, which may be a summary, and the newest messages that fit into half of a file.
 */
const fitting = (session: Session): readonly string[] => {
  const lines = session.messages.map((message) => line({ message: asJson(message) }))
  let room = maxFileBytes / 2
  const from = lines.findLastIndex((text) => (room -= Buffer.byteLength(text)) < 0)
  return from <= 0 ? lines : [...lines.slice(0, 1), ...lines.slice(from + 1)]
}

const isTool = (value: Json): boolean =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  typeof value['is_error'] === 'boolean' &&
  (value['exit_code'] === null || typeof value['exit_code'] === 'number') &&
  Array.isArray(value['urls']) &&
  value['urls'].every((url) => typeof url === 'string')

/** Undefined: the line is incomplete or was written by another program. */
const parse = (text: string): JsonObject | undefined => {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/** Copies the valid fields of a state line into the session. */
const takeState = (session: Session, state: JsonObject): void => {
  const { goal, isGoalSet, isAsking, refusedClaims, steps, usedTokens, answerTokens, tools, lastMessage } =
    state
  if (typeof goal === 'string') session.goal = goal
  session.isGoalSet = isGoalSet === true
  session.isAsking = isAsking === true
  if (typeof refusedClaims === 'number') session.refusedClaims = refusedClaims
  if (typeof steps === 'number') session.steps = steps
  if (typeof usedTokens === 'number') session.usedTokens = usedTokens
  if (typeof answerTokens === 'number') session.answerTokens = answerTokens
  if (typeof lastMessage === 'string') session.lastMessage = lastMessage
  if (Array.isArray(tools) && tools.every(isTool))
    session.tools.splice(0, session.tools.length, ...(tools.slice(-maxTools) as unknown as ToolUse[]))
}

/** Removes all but the newest files. Never rejects. */
const prune = async (folder: string): Promise<void> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) =>
    /^[0-9a-f]{32}\.jsonl(?:\.new)?$/.test(name),
  )
  if (names.length <= maxFiles) return
  const found: { readonly path: string; readonly mtimeMs: number }[] = []
  for (const name of names) {
    const path = join(folder, name)
    const { mtimeMs } = await lstat(path).catch(() => ({ mtimeMs: 0 }))
    found.push({ path, mtimeMs })
  }
  for (const { path } of found.toSorted((a, b) => b.mtimeMs - a.mtimeMs).slice(maxFiles))
    await rm(path, { force: true }).catch(() => undefined)
}

/** Opens the store, and removes the oldest files when there are more than 200. */
export const createSessionFiles = (folder: string): SessionFiles => {
  const pathOf = (address: Address): string =>
    join(folder, `${createHash('sha256').update(chatKey(address)).digest('hex').slice(0, 32)}.jsonl`)
  const sizes = new Map<string, number>()
  const pruned = prune(folder)

  const load: SessionFiles['load'] = async (address) => {
    await pruned
    const bytes = await readBytes(pathOf(address), maxReadBytes).catch(() => undefined)
    if (bytes === undefined) return undefined
    const lines = bytes
      .toString()
      .split('\n')
      .map(parse)
      .filter((value) => value !== undefined)
    const header = lines[0]?.['session']
    if (
      !isObject(header) ||
      typeof header['id'] !== 'string' ||
      header['id'].length > 128 ||
      typeof header['startedAtMs'] !== 'number'
    )
      return undefined
    const session: Session = { ...newSession(), id: header['id'], startedAtMs: header['startedAtMs'] }
    for (const { message, state } of lines) {
      if (isMessage(message)) session.messages.push(message)
      if (isObject(state)) takeState(session, state)
    }
    return session
  }

  /** Writes the whole file, and replaces the old one in one step. */
  const rewrite = async (path: string, session: Session): Promise<void> => {
    const { id, startedAtMs } = session
    const text = [
      line({ session: { id, startedAtMs } }),
      ...fitting(session),
      line({ state: stateOf(session) }),
    ].join('')
    ensureFolder(folder, 0o700)
    await writeFile(`${path}.new`, text, { mode: 0o600 })
    await rename(`${path}.new`, path)
    sizes.set(path, Buffer.byteLength(text))
  }

  const save: SessionFiles['save'] = async (address, session) => {
    const path = pathOf(address)
    await pruned
    try {
      const text = [
        ...session.messages.slice(session.savedMessages).map((message) => line({ message: asJson(message) })),
        line({ state: stateOf(session) }),
      ].join('')
      const size = (sizes.get(path) ?? maxFileBytes) + Buffer.byteLength(text)
      if (session.savedMessages === 0 || size > maxFileBytes) await rewrite(path, session)
      else {
        await appendFile(path, text)
        sizes.set(path, size)
      }
      session.savedMessages = session.messages.length
    } catch {
      session.savedMessages = 0
    }
  }

  return { load, save, drop: (address) => rm(pathOf(address), { force: true }).catch(() => undefined) }
}
