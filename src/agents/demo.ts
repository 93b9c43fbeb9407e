import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../model/base/json.ts'
import { judgedHere } from './loop/judged-here.ts'
import type { Decider, Thought, Conversation } from './loop/decider.ts'

interface Move {
  readonly text: string
  readonly call?: { readonly name: string; readonly input: JsonObject }
}

type DemoWord = (rest: string, view: Conversation) => Move

const answer = (text: string): Move => ({ text })

const use = (name: string, input: JsonObject, text = `I use ${name}.`): Move => ({
  text,
  call: { name, input },
})

/** A word that needs something behind it says so when nothing is there. */
const needing =
  (usage: string, word: (rest: string) => Move): DemoWord =>
  (rest) =>
    rest === '' ? answer(`Tell me more: ${usage}`) : word(rest)

const help = `I am hookgate's demo agent. I have no model behind me, so I only understand a few words, but what they do is real:
!ls -la – run a command
read FILE – read a file
write FILE TEXT – write a file
edit FILE OLD NEW – replace a word
send FILE – send you a file
say TEXT – say something
reword TEXT – change what I said last
poll QUESTION | A | B – ask for a vote
place LAT LON – send a place
react 👍 – react to your message
ask TEXT – ask you and wait
done TEXT – claim that it is done
context – what hooks told me
fail – run into an error
help – this list`

const bash = needing('!COMMAND, such as !ls -la', (command) => use('bash', { command }))

const words: Readonly<Record<string, DemoWord>> = {
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
      ? answer('I said nothing yet that I could change.')
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
  ask: needing('ask TEXT', (question) => use('ask_person', { question }, question)),
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

/** The first word, and what stands behind it. */
const split = (text: string): readonly string[] => {
  const trimmed = text.trim()
  const end = trimmed.search(/\s/)
  return end === -1 ? [trimmed, ''] : [trimmed.slice(0, end), trimmed.slice(end).trim()]
}

const moveOf = (view: Conversation): Move => {
  const last = view.messages.findLast((message) => message.role !== 'system')
  if (last === undefined) return answer(help)
  // A tool's result is told as it is; an answer that was asked for again stays what it was.
  if (last.role !== 'user') return answer(last.content)
  if (view.isFollowup) return answer(`You answered: ${last.content}`)
  if (last.content.startsWith('!')) return bash(last.content.slice(1).trim(), view)
  const [name = '', rest = ''] = split(last.content)
  const word = Object.hasOwn(words, name.toLowerCase()) ? words[name.toLowerCase()] : undefined
  return word === undefined ? answer(help) : word(rest, view)
}

const decide = (view: Conversation): Thought => {
  const { text, call } = moveOf(view)
  const calls = call === undefined ? [] : [{ id: randomUUID(), ...call }]
  return { text, calls, usage: { input_tokens: 0, output_tokens: 0 } }
}

/** A decider without a model: a table of words decides. It fails where a model call would. */
export const demoDecider: Decider = {
  model: 'demo',
  maxSteps: 50,
  remembers: false,
  isMarkdown: false,
  system: () =>
    Promise.resolve(
      "You are hookgate's demo agent. You have no model; a table of words decides what you do.",
    ),
  // The demo's `done` says that something is done; it is no goal of its own.
  isGoal: (message) => split(message)[0]?.toLowerCase() !== 'done',
  isClaim: () => false,
  think: judgedHere('demo', decide),
}
