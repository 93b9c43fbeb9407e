import type { z } from 'zod'
import { isObject, parseJson, type JsonObject } from '../../core/model/base/json.ts'
import { answerText } from '../../shared/gate/form.ts'
import type { Unanswered } from '../../core/model/hooks/verdict.ts'
import type { ChannelPorts } from '../../core/model/chat/channel.ts'
import type { Address, Outcome, PushReply } from '../../core/model/chat/push.ts'
import type { FireOptions } from '../../shared/events/patience.ts'
import type { EventRecord } from '../../core/model/events/record.ts'
import type { RecordClass } from '../../shared/events/record-class.ts'
import type { AgentPorts, HttpRefusal, HttpReply } from '../ports.ts'
import { isTold, listText, whyText } from './told.ts'
import type { ToolPorts } from './tool-ports.ts'
import { tools, type CallTool, type ToolAnswer, type ToolName } from './tools.ts'

type Input<Name extends ToolName> = z.infer<(typeof tools)[Name]['input']>
/** The caller of a tool: it can leave, and it may be a hook. */
type Waiting = Pick<FireOptions, 'chain' | 'waits' | 'signal'>

/** The session of the tools in records and questions. */
const session = 'mcp'
const kinds = ['event', 'push', 'question'] as const
/** The records that are searched for the last one of an agent. */
const maxSearched = 500

const failed = (text: string): ToolAnswer => ({ text, isError: true })
const refused = ({ error: { message, fix } }: HttpRefusal): ToolAnswer => failed(`${message} ${fix}`)

const unanswered = (kind: unknown, seconds: number): ToolAnswer => {
  const words: Readonly<Record<Unanswered, string>> = {
    expired: `Nobody answered within ${seconds} s, and the question is closed. That is neither a yes nor a no. Go on without the answer, or ask again later.`,
    gone: 'The question was closed before anybody answered.',
    elsewhere: 'The person answers elsewhere.',
    full: 'Nobody was asked, because too many questions wait already or were not answered. Wait until some are answered.',
    nobody: 'Nobody was asked, because nobody owns this gate yet, or no owner has a chat.',
  }
  const known = Object.entries(words).find(([name]) => name === kind)
  return failed(known?.[1] ?? 'Nobody answered.')
}

const askOwner = async (
  ports: AgentPorts,
  agentId: string,
  { question, options, multiple, wait_seconds: seconds }: Input<'ask_owner'>,
  waiting: Waiting,
): Promise<ToolAnswer> => {
  const choices: JsonObject =
    options === undefined ? { type: 'yesno' } : { options, multiple: multiple === true }
  const asked = { id: 'answer', question, ...choices }
  const body = { session_id: session, prompt: question, questions: [asked] }
  const reply = await ports.fire(agentId, 'on_user_input', body, { ...waiting, askMs: seconds * 1000 })
  if (reply.status !== 200) return refused(reply)
  const { verdict, reason, payload, unanswered: kind } = reply.body
  // A person who does not want to answer has decided something.
  if (verdict === 'block') return { text: typeof reason === 'string' ? reason : 'The question was refused.' }
  const answers = isObject(payload) ? payload['answers'] : undefined
  const answer = isObject(answers) ? answers['answer'] : undefined
  return answer === undefined
    ? unanswered(kind, seconds)
    : { text: `The owner answered: ${answerText(answer)}` }
}

/** What became of a message in one chat. */
const sent: Readonly<Record<Outcome, ToolAnswer>> = {
  delivered: { text: 'The message was delivered.' },
  queued: { text: 'The message waits to be sent.' },
  held: { text: 'The message is held until an owner releases it.' },
  withheld: failed('The message was withheld'),
  failed: failed('The message could not be sent'),
  unknown: failed('It is not known whether the message arrived'),
}

const answerOf = (reply: HttpReply): ToolAnswer => {
  if (reply.status !== 200) return refused(reply)
  const { outcome, reason } = reply.body as unknown as PushReply
  const { text, isError } = sent[outcome]
  return isError === true ? failed(`${text}${reason === undefined ? '.' : `: ${reason}`}`) : { text }
}

const notifyOwner = async (
  ports: AgentPorts,
  chats: readonly Address[],
  agentId: string,
  { text }: Input<'notify_owner'>,
): Promise<ToolAnswer> => {
  if (chats.length === 0)
    return failed(
      'Expected an owner with a chat in which this agent may speak, got none. Let the owner write to it.',
    )
  const empty = { type: 'text', marks: [], parts: [], files: [], session_id: session } as const
  const answers = await Promise.all(
    chats.map(async (chat) => answerOf(await ports.push(agentId, { ...chat, ...empty, text }))),
  )
  // An owner may have several chats. What came of it is the same in most of them.
  const said = [...new Set(answers.map((answer) => answer.text))].join('\n')
  return answers.every(({ isError }) => isError === true) ? failed(said) : { text: said }
}

const why = async (
  { records, rows, node }: ToolPorts,
  agentId: string,
  { event_id: eventId }: Input<'why'>,
): Promise<ToolAnswer> => {
  const isOwn = (record: EventRecord): boolean =>
    record.agent_id === agentId && kinds.some((kind) => kind === record.kind) && isTold(record)
  const lastOf = async (ofClass?: RecordClass): Promise<EventRecord | undefined> =>
    (await records({ limit: maxSearched, kinds, ofClass }, agentId)).find(isOwn)
  const last = async (): Promise<string | undefined> => {
    const stopped = await Promise.all([lastOf('blocked'), lastOf('asked'), lastOf('faults')])
    const newest = stopped.filter((one) => one !== undefined).toSorted((a, b) => b.atMs - a.atMs)[0]
    return (newest ?? (await lastOf()))?.event_id
  }
  const id = eventId ?? (await last())
  const found = id === undefined ? [] : (await records({ limit: 5, eventId: id }, agentId)).filter(isOwn)
  if (found.length > 0) return { text: whyText({ agentId, node }, found, rows()) }
  return eventId === undefined
    ? { text: 'No event of this agent has reached an approved hook yet.' }
    : failed(`There is no record of an event "${eventId}" of this agent.`)
}

const proposeHook = async (
  { propose }: ToolPorts,
  { event, command, ...rest }: Input<'propose_hook'>,
): Promise<ToolAnswer> => {
  if (propose === undefined)
    return failed(
      'Expected an agent on the machine of the gate, got one on a node. Write the proposal into config/shell_hooks.yaml there.',
    )
  // What is absent must not stand in the file.
  const hook = { ...(parseJson(JSON.stringify({ event, command, ...rest })) as JsonObject), command }
  const problem = await propose(hook)
  return problem === undefined
    ? {
        text: 'The proposal is in config/shell_hooks.yaml, and the owner is told. It does nothing until the owner approves it in the chat.',
      }
    : failed(problem)
}

/** Carries out the tools for one request of an agent. The socket says which agent it is. */
export const createToolRun = (
  agentId: string,
  ports: AgentPorts,
  toolPorts: ToolPorts,
  waiting: Waiting,
  log: ChannelPorts['log'],
): CallTool => {
  const run: { readonly [Name in ToolName]: (input: Input<Name>) => Promise<ToolAnswer> } = {
    ask_owner: (input) => askOwner(ports, agentId, input, waiting),
    list_hooks: () =>
      Promise.resolve({
        text: listText({ agentId, node: toolPorts.node }, toolPorts.gate(), toolPorts.rows()),
      }),
    propose_hook: (input) => proposeHook(toolPorts, input),
    why: (input) => why(toolPorts, agentId, input),
    notify_owner: (input) => notifyOwner(ports, toolPorts.ownerChats(agentId), agentId, input),
  }
  return async (name, args) => {
    try {
      return await run[name](tools[name].input.parse(args) as never)
    } catch (error) {
      // The words of an error may quote what it is about.
      const kind = error instanceof Error ? error.name : 'unknown'
      log('error', 'a tool failed inside the gate', { agent: agentId, tool: name, error: kind })
      return failed('The gate could not carry this out. Look at the log of hookgate.')
    }
  }
}
