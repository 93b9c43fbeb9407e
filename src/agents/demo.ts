import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../core/model/base/json.ts'
import { asJson, isMessage, lastUserMessage, type ModelMessage } from '../shared/chat/message.ts'
import type { Decider, Thought, Conversation } from './loop/decider.ts'

interface DemoAnswer {
  readonly text: string
  readonly call?: { readonly name: string; readonly input: JsonObject }
}

type DemoCommand = (rest: string, view: Conversation) => DemoAnswer

const answer = (text: string): DemoAnswer => ({ text })

const use = (name: string, input: JsonObject, text = ''): DemoAnswer => ({
  text,
  call: { name, input },
})

/** Makes a command that asks for its argument when it is missing. */
const needing =
  (usage: string, word: (rest: string) => DemoAnswer): DemoCommand =>
  (rest) =>
    rest === '' ? answer(`Tell me more: ${usage}`) : word(rest)

const help = `I am hookgate's demo agent. I have no model, so I only understand a few commands. They really do what they say:
!ls -la – run a command
read FILE – read a file
write FILE TEXT – write a file
edit FILE OLD NEW – replace a word
send FILE – send you a file
say TEXT – say something
reword TEXT – change what I said last
poll QUESTION | A | B – ask for a vote
place LAT LON – send a location
react 👍 – react to your message
ask TEXT | A | B – ask you and wait
done TEXT – claim that the task is done
context – show what hooks told me
fail – fail with an error
help – show this list`

const bash = needing('!COMMAND, such as !ls -la', (command) => use('bash', { command }))

const words: Readonly<Record<string, DemoCommand>> = {
  read: needing('read FILE', (path) => use('read_file', { path })),
  write: needing('write FILE TEXT', (rest) => {
    const [path = '', content = ''] = split(rest)
    return use('write_file', { path, content })
  }),
  edit: needing('edit FILE OLD NEW', (rest) => {
    const [path = '', words = ''] = split(rest)
    const [old_text = '', new_text = ''] = split(words)
    return use('edit_file', { path, old_text, new_text })
  }),
  send: needing('send FILE', (path) => use('send_file', { path })),
  say: needing('say TEXT', answer),
  reword: (fresh, { lastMessage }) => {
    if (fresh === '') return answer('Tell me more: reword TEXT')
    return lastMessage === undefined
      ? answer('I have sent no message yet that I could change.')
      : use('edit_message', { id: lastMessage, text: fresh })
  },
  poll: needing('poll QUESTION | A | B', (rest) => {
    const [question = '', ...options] = rest.split('|').map((part) => part.trim())
    return use('poll', { question, options })
  }),
  place: needing('place LAT LON, such as place 52.5 13.4', (rest) => {
    const [latitude = '', longitude = ''] = split(rest).map((part) => part.replace(/,$/, ''))
    return use('send_location', {
      latitude: Number(latitude || Number.NaN),
      longitude: Number(longitude || Number.NaN),
    })
  }),
  react: needing('react 👍', (emoji) => use('react', { emoji })),
  ask: needing('ask TEXT | A | B', (rest) => {
    const [question = '', ...options] = rest.split('|').map((part) => part.trim())
    return use('ask_person', { question, ...(options.length === 0 ? {} : { options }) })
  }),
  done: needing('done TEXT', (summary) => use('done', { summary }, `Done: ${summary}`)),
  context: (_rest, { contexts }) =>
    answer(
      contexts.length === 0
        ? 'No hook gave me any context this turn.'
        : `This turn I was told:\n${contexts.map((context) => `– ${context}`).join('\n')}`,
    ),
  fail: () => {
    throw new Error('the demo was asked to fail')
  },
}

/** Splits a text into its first word and the rest. */
const split = (text: string): readonly string[] => {
  const trimmed = text.trim()
  const end = trimmed.search(/\s/)
  return end === -1 ? [trimmed, ''] : [trimmed.slice(0, end), trimmed.slice(end).trim()]
}

const answerOf = (view: Conversation): DemoAnswer => {
  const last = view.messages.findLast((message) => message.role !== 'system')
  if (last === undefined) return answer(help)
  // A tool's result is repeated as the answer. When an answer is requested again, the same answer is given.
  if (last.role !== 'user') return answer(view.shortResult ?? last.content)
  if (view.isFollowup) return answer(`You answered: ${last.content}`)
  if (last.content.startsWith('!')) return bash(last.content.slice(1).trim(), view)
  const [name = '', rest = ''] = split(last.content)
  const word = Object.hasOwn(words, name.toLowerCase()) ? words[name.toLowerCase()] : undefined
  return word === undefined ? answer(help) : word(rest, view)
}

const decide = (view: Conversation): Thought => {
  const { text, call } = answerOf(view)
  const calls = call === undefined ? [] : [{ id: randomUUID(), ...call }]
  return { text, calls, usage: { input_tokens: 0, output_tokens: 0 } }
}

/**
 * Returns the messages after hooks, or the turn's own messages when the hooks' value is not a list of
 * messages.
 */
const settledMessages = (value: unknown, own: readonly ModelMessage[]): readonly ModelMessage[] =>
  Array.isArray(value) && value.every(isMessage) ? value : own

/**
 * The demo asks no model through the gate, so this host fires the two events around each decision. For a
 * model behind the gate the gate fires them, so that no tool can skip them.
 */
const think: Decider['think'] = async (view, { signal, iteration, reporter }) => {
  const model = 'demo'
  const { system, messages } = view
  const question = { system, model, last_user_message: lastUserMessage(messages), iteration }
  const before = await reporter.fire('pre_llm_call', { ...question, messages: messages.map(asJson) }, signal)
  if (before.verdict !== 'allow' || before.stopsTurn) return { blocked: before.reason, isTold: before.isTold }
  const contexts = [...view.contexts, ...(before.context === '' ? [] : [before.context])]
  const thought = decide({
    ...view,
    messages: settledMessages(before.payload['messages'], messages),
    contexts,
  })
  const { text: response, usage } = thought
  await reporter.fire('post_llm_call', { model, response, usage: { ...usage }, cost: 0 }, signal)
  return { thought }
}

/** A decider without a model: a table of commands decides. It can fail where a model call would fail. */
export const demoDecider: Decider = {
  model: 'demo',
  maxSteps: 50,
  remembers: false,
  isMarkdown: false,
  system: () =>
    Promise.resolve(
      "You are hookgate's demo agent. You have no model; a table of words decides what you do.",
    ),
  // The demo's `done` only makes a claim and sets no goal.
  isGoal: (message) => split(message)[0]?.toLowerCase() !== 'done',
  isClaim: () => false,
  think,
}
