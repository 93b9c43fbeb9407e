import type {
  Client,
  ClientEvent,
  ClientName,
  LifecyclePoint,
  NativeReport,
  Ruled,
  ToolRan,
} from '../shared/gate/client.ts'
import type { ForeignDialect } from '../core/model/hooks/dialect.ts'
import type { NativeEvent } from '../shared/hooks/dialect.ts'
import { contractOf, type EventName } from '../core/model/events/event.ts'
import {
  isObject,
  JsonFault,
  readJson,
  frozenCopy,
  type Json,
  type JsonObject,
} from '../core/model/base/json.ts'
import { agentHooksClient } from './agent-hooks/agent-hooks.ts'
import { claudeClient } from './claude-code/claude-code.ts'
import { codex } from './codex/codex.ts'
import { copilotClient } from './copilot/copilot.ts'
import { cursor } from './cursor/cursor.ts'
import { dockerClient } from './docker-agent/docker-agent.ts'
import { noOpinion } from './gates.ts'
import { gemini } from './gemini/gemini.ts'
import { kimi } from './kimi/kimi.ts'
import { opencode } from './opencode/opencode.ts'
import { isNonNull } from './reading/output.ts'
import { ranToolOf } from './reading/exit-code.ts'
import { responsibleAiClient } from './responsibleai/bridge.ts'
import { toNative } from './tools.ts'

/** Every agent that can be connected to the gate by its hooks. */
export const CLIENTS: Readonly<Record<ClientName, Client>> = {
  'claude-code': claudeClient,
  copilot: copilotClient,
  'docker-agent': dockerClient,
  'agent-hooks': agentHooksClient,
  codex,
  gemini,
  kimi,
  cursor,
  opencode,
  'responsibleai-agent-hooks': responsibleAiClient,
}

/** Returns the client whose reports match the hooks of a dialect. Not every dialect has its own bridge. */
export const clientFor = (dialect: ForeignDialect): ClientName =>
  dialect === 'factory' ? 'claude-code' : dialect === 'kimi-cli' ? 'kimi' : dialect

/** Finds a client's event by the client's name for it. */
export const clientEvent = (client: ClientName, name: string): ClientEvent | undefined =>
  CLIENTS[client].events.find((event) => event.name === name)

/** A second event of hookgate for the same moment. It is judged too, and `together` merges both verdicts. */
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
      readonly moment?: LifecyclePoint
      /** The tool that ran. It is present only at the moment `tool_ran`. */
      readonly ran?: ToolRan
      readonly stdin: Json
    }
  /** The report cannot be read. The client gets a refusal in its own words, where it has one. */
  | { readonly kind: 'wrong'; readonly native: NativeEvent; readonly why: string }
  /** hookgate has no such event, so it has no opinion. */
  | { readonly kind: 'nothing'; readonly native: NativeEvent; readonly why: string }
  /** The event is not in the table, because the client is newer than it. */
  | { readonly kind: 'unknown' }

const parsed = (text: string): { readonly json: Json } | { readonly why: string } => {
  try {
    // Some clients write a byte order mark, and `trim` removes it as white space.
    return { json: readJson(text.trim()) }
  } catch (error) {
    if (error instanceof JsonFault) return { why: `${error.message} ${error.fix}` }
    return {
      why: `Expected one JSON object on stdin, got ${text.trim() === '' ? 'nothing' : JSON.stringify(text.slice(0, 80))}.`,
    }
  }
}

const typeOf = (value: Json): string => (Array.isArray(value) ? 'list' : typeof value)

/**
 * Drops fields whose type is not ours, unless a gate searches them. A client that sends a number instead of a
 * name must not be refused for that.
 */
const fitting = (event: EventName, fields: JsonObject): JsonObject => {
  const { fields: samples, search, gate } = contractOf(event)
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
      const sample = samples[name]
      if (sample === undefined || typeOf(value) === typeOf(sample)) return [[name, value]]
      if (gate.length === 0 || !search.includes(name)) return []
      // A number or boolean in a field that hooks search becomes text.
      const isPlain = typeof value !== 'object'
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

/** Returns the path of the client's transcript, so that its hooks can read the conversation. */
const transcriptIn = (stdin: Json): JsonObject => {
  const { transcript_path: path, transcriptPath = path } = isObject(stdin) ? stdin : {}
  return typeof transcriptPath === 'string' && transcriptPath !== ''
    ? { transcript_path: transcriptPath.slice(0, 4096) }
    : {}
}

/**
 * Reads what a client sent. `name` is the event for which the hook was installed, and it takes precedence
 * over the name in the payload. `json`: what the text is, where it was read already.
 */
export const readEvent = (client: ClientName, name: string, text: string, json?: Json): Heard => {
  const native = clientEvent(client, name)
  if (native === undefined) return { kind: 'unknown' }
  if (native.event === undefined)
    return { kind: 'nothing', native, why: native.note ?? 'hookgate has no such event' }
  const stdin = json === undefined ? parsed(text) : { json }
  if ('why' in stdin) return { kind: 'wrong', native, why: stdin.why }
  const read = CLIENTS[client].read(native, stdin.json)
  if ('wrong' in read) return { kind: 'wrong', native, why: read.wrong }
  if ('nothing' in read) return { kind: 'nothing', native, why: read.nothing }
  // The fields are made well-formed here, as the gate does it, so that this change is not taken for a hook's
  // rewrite.
  const fields = frozenCopy({ ...fitting(read.event, read.fields), ...transcriptIn(stdin.json) })
  const report: NativeReport = { ...read, fields: isObject(fields) ? fields : {} }
  // A steering message does not begin a turn, and neither does a subagent's prompt. Codex reports both as the
  // same event.
  const moment =
    native.moment === 'turn_start' &&
    (report.fields['kind'] === 'steer' || (isObject(stdin.json) && isNonNull(stdin.json['agent_id'])))
      ? undefined
      : native.moment
  const ran = moment === 'tool_ran' ? ranToolOf(CLIENTS[client], report, stdin.json) : undefined
  return {
    kind: 'report',
    native,
    report,
    also: alsoOf(report, ran),
    stdin: stdin.json,
    moment,
    ran,
  }
}

/**
 * Merges the verdicts of all events of one moment. A block of `post_tool_call` ends the turn; any other block
 * refuses the step.
 */
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
    reason,
    ...(isEnd ? { stopsTurn: true as const } : {}),
  }
}

/** Returns the client's name of the tool. */
const toolIn = (stdin: Json): Json | undefined => {
  if (!isObject(stdin)) return undefined
  const { tool_name, toolName = tool_name, input } = stdin
  return toolName ?? (isObject(input) ? input['tool'] : undefined)
}

/**
 * Marks a client's tool that has the name of one of our tools but is a different tool. Its arguments were not
 * translated, so they must go back unchanged.
 */
const withForeignName = (
  client: ClientName,
  { stdin }: Extract<Heard, { kind: 'report' }>,
  ruled: Ruled,
): Ruled => {
  const { tool_name: name, tool_input: input } = ruled.payload
  const isOurName =
    typeof name === 'string' &&
    toolIn(stdin) === name &&
    toNative(client, { name, input: input ?? {} }).name !== name
  return isOurName ? { ...ruled, payload: { ...ruled.payload, tool_name: `${client}:${name}` } } : ruled
}

/**
 * The verdict on a question that a person answered, for a client whose question tool takes no answers: the
 * tool does not ask again, and the model reads the answers as the reason.
 */
const withAnswers = (client: ClientName, ruled: Ruled): Ruled => {
  const { answered, ...rest } = ruled
  return answered === undefined || CLIENTS[client].answersAsArgument === true || ruled.verdict !== 'allow'
    ? ruled
    : { ...rest, verdict: 'block', isConsent: false, reason: answered }
}

/** Returns the verdict in the client's words. Undefined means that nothing is printed. */
export const replyTo = (
  client: ClientName,
  heard: Extract<Heard, { kind: 'report' }>,
  ruled: Ruled,
): JsonObject | undefined =>
  CLIENTS[client].write(
    heard.native,
    withForeignName(client, heard, withAnswers(client, ruled)),
    heard.report.fields,
  ) ?? noOpinion(client, heard.native.name)

/** The events of a client at which it runs a call with the arguments of our answer. */
const rewritten: Readonly<Partial<Record<ClientName, readonly string[]>>> = {
  'claude-code': ['PreToolUse'],
  codex: ['PreToolUse'],
  copilot: ['preToolUse', 'PreToolUse'],
  gemini: ['BeforeTool'],
  'docker-agent': ['pre_tool_use', 'tool_input_transform'],
  cursor: ['preToolUse'],
  opencode: ['tool.execute.before'],
  'agent-hooks': agentHooksClient.events
    .filter(({ event }) => event === 'pre_tool_call')
    .map(({ name }) => name),
  'responsibleai-agent-hooks': ['pre_tool_call'],
}

/** Returns whether a client takes over a call that was changed. Cursor does not for a file that it writes. */
export const takesChange = (client: ClientName, name: string, tool: Json | undefined): boolean =>
  (rewritten[client]?.includes(name) ?? false) && !(client === 'cursor' && tool === 'write_file')
