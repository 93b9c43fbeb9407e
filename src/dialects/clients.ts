import type { Client, ClientName, Moment, NativeReport, Ruled, ToolRan } from '../model/gate/client.ts'
import type { ForeignDialect, NativeEvent } from '../model/hooks/dialect.ts'
import { contractOf, type EventName } from '../model/events/event.ts'
import { isObject, isTooDeep, wellFormed, type Json, type JsonObject } from '../model/base/json.ts'
import { readAgentHooks, writeAgentHooks } from './agent-hooks/bridge.ts'
import { agentHookEvents } from './agent-hooks/events.ts'
import { claudeEvents } from './claude-code/events.ts'
import { readClaude } from './claude-code/stdin.ts'
import { writeClaude } from './claude-code/verdict.ts'
import { codex } from './codex/codex.ts'
import { readCopilot, writeCopilot } from './copilot/bridge.ts'
import { copilotEvents, isVsCode } from './copilot/events.ts'
import { cursor } from './cursor/cursor.ts'
import { readDocker, writeDocker } from './docker-agent/bridge.ts'
import { dockerEvents } from './docker-agent/events.ts'
import { noOpinion } from './gates.ts'
import { gemini } from './gemini/gemini.ts'
import { kimi } from './kimi/kimi.ts'
import { opencode } from './opencode/opencode.ts'
import { isSaid } from './reading/output.ts'
import { ranIn } from './reading/exit-code.ts'
import { toNative } from './tools.ts'

/** Every agent that can stand behind the gate by its hooks. */
export const CLIENTS: Readonly<Record<ClientName, Client>> = {
  'claude-code': {
    name: 'claude-code',
    title: 'Claude Code',
    events: claudeEvents,
    read: readClaude,
    write: writeClaude,
    moments: {
      UserPromptSubmit: 'turn_start',
      PostToolUse: 'tool_ran',
      PostToolUseFailure: 'tool_ran',
      Stop: 'turn_end',
      SessionEnd: 'session_end',
    },
  },
  copilot: {
    // VS Code's own names stand in its files alone; no bridge is asked by them.
    name: 'copilot',
    title: 'GitHub Copilot',
    events: copilotEvents.filter((event) => !isVsCode(event)),
    read: readCopilot,
    write: writeCopilot,
    moments: {
      userPromptSubmitted: 'turn_start',
      userPromptTransformed: 'turn_start',
      UserPromptSubmit: 'turn_start',
      postToolUse: 'tool_ran',
      PostToolUse: 'tool_ran',
      postToolUseFailure: 'tool_ran',
      PostToolUseFailure: 'tool_ran',
      agentStop: 'turn_end',
      Stop: 'turn_end',
      sessionEnd: 'session_end',
      SessionEnd: 'session_end',
    },
  },
  'docker-agent': {
    name: 'docker-agent',
    title: 'docker-agent',
    events: dockerEvents,
    read: readDocker,
    write: writeDocker,
    moments: {
      user_prompt_submit: 'turn_start',
      user_followup_submit: 'turn_start',
      post_tool_use: 'tool_ran',
      stop: 'turn_end',
      session_end: 'session_end',
    },
  },
  'agent-hooks': {
    name: 'agent-hooks',
    title: 'Agent Hooks (HOOK.md)',
    events: agentHookEvents,
    read: readAgentHooks,
    write: writeAgentHooks,
    moments: {
      before_agent: 'turn_start',
      'pre-agent-turn': 'turn_start',
      after_tool: 'tool_ran',
      'post-tool-call': 'tool_ran',
      after_tool_failure: 'tool_ran',
      'post-tool-call-failure': 'tool_ran',
      before_stop: 'turn_end',
      'pre-agent-turn-stop': 'turn_end',
      session_end: 'session_end',
      'post-session': 'session_end',
    },
  },
  codex,
  gemini,
  kimi,
  cursor,
  opencode,
}

/** The client that reports as the hooks of a system hear it: not each of them has a bridge of its own. */
export const clientFor = (dialect: ForeignDialect): ClientName =>
  dialect === 'factory' ? 'claude-code' : dialect === 'kimi-cli' ? 'kimi' : dialect

/** A client's event by its own name. */
export const clientEvent = (client: ClientName, name: string): NativeEvent | undefined =>
  CLIENTS[client].events.find((event) => event.name === name)

/** Another event of ours that the same moment is: it is judged too, and `together` makes one verdict of both. */
export interface Also {
  readonly event: EventName
  readonly fields: JsonObject
}

export type Heard =
  | {
      readonly kind: 'report'
      readonly native: NativeEvent
      readonly report: NativeReport
      readonly also: readonly Also[]
      readonly moment?: Moment
      /** At `tool_ran`. */
      readonly ran?: ToolRan
      readonly stdin: Json
    }
  /** It cannot be read: the client's own refusal, where it has one. */
  | { readonly kind: 'wrong'; readonly native: NativeEvent; readonly why: string }
  /** hookgate has no such moment: no opinion. */
  | { readonly kind: 'nothing'; readonly native: NativeEvent; readonly why: string }
  /** A client newer than this table. */
  | { readonly kind: 'unknown' }

const parsed = (text: string): { readonly json: Json } | { readonly why: string } => {
  try {
    // Some clients write a byte order mark, which `trim` takes as white space.
    const json: Json = JSON.parse(text.trim())
    return isTooDeep(json) ? { why: 'Expected a payload with at most 64 levels, got more.' } : { json }
  } catch {
    return {
      why: `Expected one JSON object on stdin, got ${text.trim() === '' ? 'nothing' : JSON.stringify(text.slice(0, 80))}.`,
    }
  }
}

const typeOf = (value: Json): string => (Array.isArray(value) ? 'list' : typeof value)

/** Without what is of another type than ours, where no gate looks at it: a client that once writes a number for a name must not be refused for that. */
const fitting = (event: EventName, fields: JsonObject): JsonObject => {
  const { fields: samples, search, gate } = contractOf(event)
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
      const sample = samples[name]
      if (sample === undefined || typeOf(value) === typeOf(sample)) return [[name, value]]
      if (gate.length === 0 || !search.includes(name)) return []
      // What a hook may look for is there as the text that it would be searched as.
      const isPlain = typeof value === 'number' || typeof value === 'boolean'
      return [[name, typeof sample === 'string' && isPlain ? String(value) : value]]
    }),
  )
}

const alsoOf = ({ event, fields }: NativeReport, ran: ToolRan | undefined): readonly Also[] => {
  if (ran === undefined) return []
  const { tool_result: _result, tool_error: _error, error: _told, ...call } = fields
  const all: readonly Also[] = [
    { event: 'post_tool_call', fields: { ...call, tool_result: ran.text, tool_error: ran.isError } },
    ...(ran.isError ? [{ event: 'on_tool_error', fields: { ...call, error: ran.text } } as const] : []),
  ]
  return all
    .filter((one) => one.event !== event)
    .map((one) => ({ ...one, fields: fitting(one.event, one.fields) }))
}

/** The file that the client names, where its hooks can read what was said. */
const transcriptIn = (stdin: Json): JsonObject => {
  const { transcript_path: path, transcriptPath = path } = isObject(stdin) ? stdin : {}
  return typeof transcriptPath === 'string' && transcriptPath !== ''
    ? { transcript_path: transcriptPath.slice(0, 4096) }
    : {}
}

/** What a client sent, by the name under which its hook was installed: that name wins over what stands in the payload. */
export const readEvent = (client: ClientName, name: string, text: string): Heard => {
  const native = clientEvent(client, name)
  if (native === undefined) return { kind: 'unknown' }
  if (native.event === undefined)
    return { kind: 'nothing', native, why: native.note ?? 'hookgate has no such moment' }
  const stdin = parsed(text)
  if ('why' in stdin) return { kind: 'wrong', native, why: stdin.why }
  const read = CLIENTS[client].read(native, stdin.json)
  if ('wrong' in read) return { kind: 'wrong', native, why: read.wrong }
  if ('nothing' in read) return { kind: 'nothing', native, why: read.nothing }
  // As it will be judged: what the gate makes well-formed is no hook's rewrite.
  const fields = wellFormed({ ...fitting(read.event, read.fields), ...transcriptIn(stdin.json) })
  const report: NativeReport = { ...read, fields: isObject(fields) ? fields : {} }
  const { moments } = CLIENTS[client]
  const named = Object.hasOwn(moments, name) ? moments[name] : undefined
  // Who steers a turn begins none, nor does an agent that asks something of its own subagent: Codex tells of both alike.
  const moment =
    named === 'turn_start' &&
    (report.fields['kind'] === 'steer' || (isObject(stdin.json) && isSaid(stdin.json['agent_id'])))
      ? undefined
      : named
  const ran = moment === 'tool_ran' ? ranIn(CLIENTS[client], report, stdin.json) : undefined
  return {
    kind: 'report',
    native,
    report,
    also: alsoOf(report, ran),
    stdin: stdin.json,
    ...(moment === undefined ? {} : { moment }),
    ...(ran === undefined ? {} : { ran }),
  }
}

/** One verdict of all that the moment was asked about. A block of `post_tool_call` ends the turn; any other refuses. */
export const together = (
  main: Ruled,
  others: readonly (Pick<Ruled, 'verdict' | 'reason' | 'contexts' | 'notes' | 'stopsTurn'> & {
    readonly event: EventName
  })[],
): Ruled => {
  const refused = others.filter(({ verdict }) => verdict !== 'allow')
  const isEnd =
    main.stopsTurn === true ||
    others.some(({ stopsTurn }) => stopsTurn === true) ||
    refused.some(({ event }) => event === 'post_tool_call')
  const verdict = refused.some(({ event }) => event !== 'post_tool_call') ? 'block' : main.verdict
  const reasons = [
    ...(main.verdict === 'allow' ? [] : [main.reason]),
    ...refused.map(({ reason }) => reason),
  ].filter((reason) => reason !== undefined && reason !== '')
  const reason = reasons.length === 0 ? main.reason : [...new Set(reasons)].join('\n\n')
  return {
    ...main,
    verdict,
    isConsent: main.isConsent && verdict === 'allow',
    contexts: [...main.contexts, ...others.flatMap(({ contexts }) => contexts)],
    notes: [...main.notes, ...others.flatMap(({ notes }) => notes)],
    ...(reason === undefined ? {} : { reason }),
    ...(isEnd ? { stopsTurn: true as const } : {}),
  }
}

/** The tool as the client named it. */
const toolIn = (stdin: Json): Json | undefined => {
  if (!isObject(stdin)) return undefined
  const { tool_name, toolName = tool_name, input } = stdin
  return toolName ?? (isObject(input) ? input['tool'] : undefined)
}

/** A tool of its own may be called as one of ours is, and is not what that one is there: its arguments were read as they are, and go back as they are. */
const asItCame = (client: ClientName, { stdin }: Extract<Heard, { kind: 'report' }>, ruled: Ruled): Ruled => {
  const { tool_name: name, tool_input: input } = ruled.payload
  const isOurName =
    typeof name === 'string' &&
    toolIn(stdin) === name &&
    toNative(client, { name, input: input ?? {} }).name !== name
  return isOurName ? { ...ruled, payload: { ...ruled.payload, tool_name: `${client}:${name}` } } : ruled
}

/** The verdict as the client reads it; undefined: print nothing. */
export const replyTo = (
  client: ClientName,
  heard: Extract<Heard, { kind: 'report' }>,
  ruled: Ruled,
): JsonObject | undefined =>
  CLIENTS[client].write(heard.native, asItCame(client, heard, ruled), heard.report.fields) ??
  noOpinion(client, heard.native.name)
