import { createHash, randomUUID } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { EventName } from '../core/model/events/event.ts'
import type { Json, JsonObject } from '../core/model/base/json.ts'
import type { Payload } from '../core/model/events/payload.ts'
import { shellProof } from '../shared/base/shell.ts'

/**
 * The transcript of a session is a file for hooks of other systems: one JSON object per line, in the format
 * of Claude Code. The gate writes it from the events that it gets, in its own folder, so that no agent can
 * write into it or name another agent's. Bounds: 4 MB per session, 200 sessions per agent, 100,000 characters
 * per text.
 */

const maxFileBytes = 4 * 1024 * 1024
const maxFiles = 200
const maxTextChars = 100_000

export interface TranscriptPorts {
  readonly folder: string
  /** The hooks' user, who may read it. Absent: the gate's own user. */
  readonly user?: { readonly gid: number }
  now(): number
  /** The text of the person's message that an event is about; undefined when no person wrote it. */
  said(payload: Payload): string | undefined
  /** A tool call with Claude Code's names. */
  named(payload: Payload): Payload
  log(level: 'warn', what: string, fields?: Readonly<Record<string, string>>): void
}

export interface Transcripts {
  /** Adds an event to the transcript. Never throws. */
  note(payload: Payload): void
  /** The path of a session's file; undefined when nothing was written. */
  pathOf(payload: Pick<Payload, 'agent_id' | 'session_id'>): string | undefined
}

interface TranscriptFile {
  readonly path: string
  bytes: number
  /** The assistant's last text, kept so that its final text is not written twice. */
  last: string
  parent: string | null
}

const cut = (value: Json | undefined): string => {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  return text.length <= maxTextChars ? text : text.slice(0, maxTextChars).toWellFormed()
}

/** A tool's input. Only the beginning of a very long input is written. */
const inputOf = (value: Json | undefined): Json => {
  const text = JSON.stringify(value ?? {})
  return text.length <= maxTextChars
    ? (value ?? {})
    : { truncated: text.slice(0, maxTextChars).toWellFormed() }
}

type TranscriptMessage = {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly JsonObject[]
}

const spoken = (text: string): TranscriptMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })

type MessageOf = (
  payload: Payload,
  last: string,
  ports: Pick<TranscriptPorts, 'named' | 'said'>,
) => TranscriptMessage | undefined

const answered: MessageOf = (payload, last) => {
  const text = cut(payload['response'])
  return text.trim() === '' || text === last ? undefined : spoken(text)
}

/** The message that each event adds. Other events add nothing. */
const messages: Readonly<Partial<Record<EventName, MessageOf>>> = {
  // The event's own text comes from the agent, which could make up what the person wrote.
  on_user_message: (payload, _, { said }) => {
    const text = said(payload)
    return text === undefined ? undefined : { role: 'user', content: cut(text) }
  },
  post_llm_call: answered,
  on_stop: answered,
  on_completion_claim: answered,
  pre_tool_call: (payload, _, { named }) => {
    const { tool_name: name = '', tool_input: input, tool_use_id: id = '' } = named(payload)
    return { role: 'assistant', content: [{ type: 'tool_use', id, name, input: inputOf(input) }] }
  },
  post_tool_call: ({ tool_result: result, tool_error: isError, tool_use_id = '' }) => {
    const block = { type: 'tool_result', tool_use_id, content: cut(result), is_error: isError === true }
    return { role: 'user', content: [block] }
  },
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * Removes the oldest files of one agent above the bound. An agent cannot displace the transcripts of another.
 */
const prune = (folder: string, agent: string): void => {
  const names = readdirSync(folder).filter((name) => name.startsWith(agent))
  if (names.length < maxFiles) return
  const aged = names.map((name) => ({ path: join(folder, name), atMs: statSync(join(folder, name)).mtimeMs }))
  for (const { path } of aged.toSorted((a, b) => a.atMs - b.atMs).slice(0, names.length - maxFiles + 1))
    rmSync(path, { force: true })
}

/** Writes the transcripts in a folder that only the gate can write. */
export const createTranscripts = ({ folder, user, now, named, said, log }: TranscriptPorts): Transcripts => {
  const sessions = new Map<string, TranscriptFile>()
  const share = (path: string, mode: number): void => {
    chmodSync(path, user === undefined ? mode & 0o700 : mode)
    if (user !== undefined) chownSync(path, process.getuid?.() ?? 0, user.gid)
  }
  mkdirSync(folder, { recursive: true })
  share(folder, 0o750)

  const agentOf = ({ agent_id }: Pick<Payload, 'agent_id'>): string => `${digest(agent_id)}-`
  const nameOf = (payload: Pick<Payload, 'agent_id' | 'session_id'>): string =>
    agentOf(payload) + digest(payload.session_id)
  const begun = (name: string, agent: string): TranscriptFile => {
    const path = join(folder, `${name}.jsonl`)
    const bytes = statSync(path, { throwIfNoEntry: false })?.size
    if (bytes === undefined) prune(folder, agent)
    return { path, bytes: bytes ?? 0, last: '', parent: null }
  }
  const lineOf = (
    message: TranscriptMessage,
    { session_id, cwd, timestamp }: Payload,
    parent: string | null,
    uuid: string,
  ): string =>
    shellProof(
      JSON.stringify({
        parentUuid: parent,
        isSidechain: false,
        userType: 'external',
        cwd,
        sessionId: session_id,
        type: message.role,
        message,
        uuid,
        timestamp,
      }),
    )
  const write = (kept: TranscriptFile, line: string): void => {
    const text = `${line}\n`
    const bytes = Buffer.byteLength(text)
    if (kept.bytes + bytes > maxFileBytes) {
      const old = readFileSync(kept.path, 'utf8').slice(-maxFileBytes / 2)
      const rest = old.slice(old.indexOf('\n') + 1)
      writeFileSync(kept.path, rest)
      kept.bytes = Buffer.byteLength(rest)
    }
    appendFileSync(kept.path, text, { mode: 0o640 })
    if (kept.bytes === 0) share(kept.path, 0o640)
    kept.bytes += bytes
  }

  let failedAtMs = -Infinity
  return {
    note: (payload) => {
      const name = nameOf(payload)
      try {
        const kept = sessions.get(name) ?? begun(name, agentOf(payload))
        const message = messages[payload.event]?.(payload, kept.last, { named, said })
        if (message === undefined) return
        // The newest sessions are last in the map.
        sessions.delete(name)
        sessions.set(name, kept)
        const own = [...sessions.keys()].filter((one) => one.startsWith(agentOf(payload)))
        for (const old of own.slice(0, Math.max(0, own.length - maxFiles))) sessions.delete(old)
        const uuid = randomUUID()
        write(kept, lineOf(message, payload, kept.parent, uuid))
        kept.parent = uuid
        if (message.role === 'assistant' && payload.event !== 'pre_tool_call')
          kept.last = cut(payload['response'])
        if (message.role === 'user') kept.last = ''
      } catch (error) {
        // When the disk is full, hooks get no transcript, and they can detect that. It is logged at most once
        // a minute.
        if (now() - failedAtMs > 60_000)
          log('warn', 'a transcript for hooks could not be written', { error: String(error) })
        failedAtMs = now()
      }
    },
    pathOf: (payload) => sessions.get(nameOf(payload))?.path,
  }
}
