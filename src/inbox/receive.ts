import type { InboundFile, Message } from '../model/channel.ts'
import { noticeOf, type NoticeText } from '../model/notice.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import { messageOf } from '../model/problem.ts'
import type { Address } from '../model/push.ts'
import type { EventRecord, Prompt } from '../model/record.ts'
import { inGroupOf } from '../model/speaker.ts'
import { createPairTalk, type PairPorts } from './pair.ts'

/** Larger messages are refused with words; no messenger of ours sends one. */
export const maxMessageUnits = 1_000_000

/** More commands than this in one message are not carried out: each gets an answer of its own. */
export const maxCommands = 20

const brokeText = [
  'Something went wrong in hookgate itself with your last message.',
  'Nothing was changed by it that /hooks does not show.',
].join(' ')

/** Of a line that is named to its owner, in UTF-16 units. */
const maxNamedUnits = 60
const shorten = (text: string): string =>
  text.length > maxNamedUnits ? `${text.slice(0, maxNamedUnits - 1)}…` : text

/** A parsed line, as this module needs it. */
interface CommandLine {
  readonly kind: 'command' | 'malformed'
  readonly raw: string
}

interface Context {
  readonly owner: string
  readonly message: Message
  readonly address: Address
  progress(said: NoticeText): void
}

/** What a line turned out to be: something to run, or words that say why not. */
type FoundCommand =
  | {
      readonly need: 'owner' | 'privileged' | 'off'
      readonly path: string
      run(context: Context): Promise<NoticeText>
    }
  | { readonly unknown: NoticeText }

type Admitted = { readonly ok: true } | { readonly ok: false; readonly code: string; readonly words?: string }

export interface InboxPorts<Line extends CommandLine> extends Pick<PairPorts, 'pair' | 'ownerChats'> {
  parse(
    text: string,
  ):
    | { readonly kind: 'prose'; readonly text: string }
    | { readonly kind: 'commands'; readonly lines: readonly Line[] }
  lookUp(line: Line): FoundCommand
  /** Does what a tapped button stands for. `refused`: why it counted for nothing, for the record. */
  press(data: string, context: Context): Promise<{ readonly said: NoticeText; readonly refused?: string }>
  /** `/pair <code>`: the only command of somebody who is no owner. Undefined when the line is another command. */
  pairCode(line: Line): string | undefined
  admits(message: Message, need: 'message' | 'owner' | 'privileged' | 'off'): Admitted
  /** Whether the agent serves this chat for this sender, though they are no owner. */
  serves(message: Message): boolean
  firstSeen(message: Message): Promise<boolean>
  notify(address: Address, said: NoticeText): Promise<void>
  /** A message is being looked at: `kept` resolves when that is on disk and never rejects; until `end`, a crash is told. */
  begin(message: Message): { readonly kept: Promise<void>; end(): void }
  /** Hands a person's message to the chat's agent. */
  prompt(
    prompt: Omit<Prompt, 'prompt_id' | 'agent_id' | 'state'> & { readonly files?: readonly InboundFile[] },
  ): Promise<void>
  record(record: EventRecord): void
  newId(): string
  now(): number
  log(
    level: 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

/** Takes inbound messages, one by one: commands before anything an agent sees. Never throws and never waits. */
export const createInbox = <Line extends CommandLine>(ports: InboxPorts<Line>) => {
  const addressOf = ({ channel, chat_id }: Message): Address => ({ channel, chat_id })

  const refused = (message: Message, subject: string, code: string): void =>
    ports.record({
      event_id: ports.newId(),
      atMs: ports.now(),
      kind: 'refusal',
      subject,
      outcome: 'refused',
      reason: `${code} from ${message.channel}:${message.sender_id}`,
      channel: message.channel,
      chat_id: message.chat_id,
      length: message.text.length,
    })

  const say = (message: Message, said: NoticeText): Promise<void> => ports.notify(addressOf(message), said)

  const contextOf = (message: Message): Context => ({
    owner: `${message.channel}:${message.sender_id}`,
    message,
    address: addressOf(message),
    progress: (said) => void say(message, said),
  })

  /** A tap is an owner's own answer or nothing: it is never a command line and never reaches the agent. */
  const takePress = async (message: Message, data: string): Promise<void> => {
    const admitted = ports.admits(message, 'privileged')
    if (!admitted.ok) {
      refused(message, 'press', admitted.code)
      return admitted.words === undefined
        ? undefined
        : say(message, fixed(`That tap did not count: ${admitted.words}`))
    }
    const done = await ports.press(data, contextOf(message))
    if (done.refused !== undefined) refused(message, 'press', done.refused)
    await say(message, done.said)
  }

  const pair = createPairTalk({ ...ports, refused })

  const isHeard = (message: Message): boolean => ports.admits(message, 'message').ok || ports.serves(message)

  /** Whoever is no owner hears nothing, but for one who was an owner before the last login: they can pair again. */
  const refuseOutsider = async (
    message: Message,
    subject: string,
    heard: Admitted,
    code: string,
  ): Promise<void> => {
    refused(message, subject, heard.ok || heard.words === undefined ? code : heard.code)
    if (!heard.ok && heard.words !== undefined) await say(message, fixed(heard.words))
  }

  /** Why a line of an owner's is nothing that could be carried out, as the record names it. */
  const oddity = ({ kind, raw }: Line): string => {
    if (kind === 'malformed') return 'malformed'
    const [word = '', more = ''] = raw.split(/\s+/, 2)
    // What follows "start" in a link, another chose.
    if (/^[/／]start$/i.test(word) && more !== '') return 'start_link'
    return word.includes('@') ? 'other_bot' : 'unknown_command'
  }

  /** Resolves with whether the line was carried out. */
  const runLine = async (message: Message, line: Line): Promise<boolean> => {
    const heard = ports.admits(message, 'message')
    const code = ports.pairCode(line)
    if (code !== undefined) {
      await pair(message, code, heard.ok || heard.words !== undefined)
      return true
    }
    if (!heard.ok) {
      await refuseOutsider(message, 'command', heard, 'not_owner')
      return false
    }
    const found = ports.lookUp(line)
    if ('unknown' in found) {
      const why = oddity(line)
      refused(message, 'command', why)
      // In a group the other bot may be there to answer.
      if (why === 'other_bot' && !message.isPrivate) return true
      await say(message, found.unknown)
      return false
    }
    const admitted = ports.admits(message, found.need)
    if (!admitted.ok) {
      refused(message, found.path, admitted.code)
      await say(message, fixed(`/${found.path} was not carried out: ${admitted.words ?? admitted.code}`))
      return false
    }
    const said = await found.run(contextOf(message))
    await say(message, said)
    return noticeOf(said).isRefusal !== true
  }

  const broke = async (message: Message, error: unknown): Promise<void> => {
    const fields = { channel: message.channel, error: messageOf(error) }
    ports.log('error', 'an inbound message could not be handled', fields)
    // A stranger learns nothing from a failure either.
    if (isHeard(message)) await say(message, fixed(brokeText)).catch(() => undefined)
  }

  /** A line that breaks stops the lines after it, too. */
  const runSafely = (message: Message, line: Line): Promise<boolean> =>
    runLine(message, line).catch(async (error: unknown) => {
      await broke(message, error)
      return false
    })

  /** The command's own name always arrives; what follows it is quoted. */
  const nameOf = (line: Line): Prose => {
    const found = ports.lookUp(line)
    const [, first = '', rest = ''] = /^(\S+)\s*([^]*)$/.exec(line.raw) ?? []
    if ('unknown' in found) return prose`  ${shorten(line.raw)}`
    const words = found.path.split(' ').length > 1 ? rest.replace(/^\S+\s*/, '') : rest
    return prose`  ${fixed(`/${found.path}`)}${first === '' || words === '' ? [] : prose` ${shorten(words)}`}`
  }

  const isOff = (line: Line): boolean => {
    const found = ports.lookUp(line)
    return 'need' in found && found.need === 'off'
  }

  /**
   * Carries out the lines of an owner's message in order. Who pastes several means them one after another:
   * when one was not carried out, the others wait for the person, and are named. Turning hooks off always works.
   */
  const runInOrder = async (message: Message, lines: readonly Line[]): Promise<void> => {
    const left: Line[] = []
    let isStopped = false
    for (const line of lines) {
      if (isStopped && !isOff(line)) left.push(line)
      else if (!(await runSafely(message, line))) isStopped = true
    }
    if (left.length === 0) return
    refused(message, 'command', 'line_before')
    const which = left.length === 1 ? 'This line was' : `These ${left.length} lines were`
    await say(
      message,
      joinProse(
        [
          fixed(`${which} not carried out, because a line before was not:`),
          ...left.map(nameOf),
          fixed('Send again what you still want.'),
        ],
        '\n',
      ),
    )
  }

  /** Whoever is no owner leaves one record a message, however many lines it has; the one thing they can do is pair. */
  const runLines = async (message: Message, lines: readonly Line[], heard: Admitted): Promise<void> => {
    const wanted = heard.ok ? lines : lines.filter((line) => ports.pairCode(line) !== undefined).slice(0, 1)
    if (wanted.length === 0) return refuseOutsider(message, 'command', heard, 'not_owner')
    await runInOrder(message, wanted.slice(0, maxCommands))
    if (wanted.length > maxCommands) {
      const words = `Of ${wanted.length} lines only the first ${maxCommands} were read. Send the rest again.`
      await say(message, fixed(words))
    }
  }

  const takeProse = async (
    message: Message,
    text: string,
    isOwner: boolean,
    end: () => void,
  ): Promise<void> => {
    // Two bots that answer each other would never stop.
    if (message.origin === 'edited' || message.origin === 'from_bot')
      return refused(message, 'message', message.origin)
    const { files = [] } = message
    if (text.trim() === '' && files.length === 0) {
      if (message.origin === 'plain') return undefined
      refused(message, 'message', message.origin)
      if (!isOwner) return undefined
      return say(
        message,
        fixed(
          message.origin === 'recalled'
            ? 'Taking a message back undoes nothing.\nWhat stands → /hooks'
            : 'I can only read text and files for now.',
        ),
      )
    }
    const { channel, chat_id, sender_id, sender_name, message_id } = message
    // In one turn of the event loop, so that a crash leaves it with the agent or as cut short, never as both.
    end()
    const inGroup = inGroupOf(message, isOwner)
    await ports.prompt({
      channel,
      chat_id,
      sender_id,
      sender_name,
      text,
      ...(inGroup === undefined ? {} : { inGroup }),
      message_id,
      atMs: ports.now(),
      ...(files.length === 0 ? {} : { files }),
    })
  }

  const take = async (message: Message, end: () => void): Promise<void> => {
    // From the bot's own account: an echo of what the agent made it say, or somebody who holds its phone.
    if (message.origin === 'self')
      return message.text.length <= maxMessageUnits && ports.parse(message.text).kind === 'commands'
        ? refused(message, 'command', 'self')
        : undefined
    if (message.press !== undefined) return takePress(message, message.press.data)
    const heard = ports.admits(message, 'message')
    const isOwner = heard.ok
    if (message.text.length > maxMessageUnits) {
      refused(message, 'message', 'too_large')
      return isOwner
        ? say(
            message,
            fixed(
              `Your message has ${message.text.length} characters; at most ${maxMessageUnits} can be read. Send less.`,
            ),
          )
        : undefined
    }
    const parsed = ports.parse(message.text)
    if (parsed.kind === 'commands') return runLines(message, parsed.lines, heard)
    if (isOwner || ports.serves(message)) return takeProse(message, parsed.text, isOwner, end)
    return refuseOutsider(message, 'message', heard, 'stranger')
  }

  const isFirst = (message: Message): Promise<boolean> => {
    // An edited message bears the id of the one that it was; without its own it would pass for a repetition.
    const named =
      message.origin === 'edited' ? { ...message, message_id: `${message.message_id} edited` } : message
    return ports.firstSeen(named).catch((error: unknown) => {
      // The store is away: an owner's command must still work, so the message is taken as new.
      ports.log('error', 'whether a message is new could not be looked up', { error: messageOf(error) })
      return true
    })
  }

  const guarded = async (message: Message, isNew: Promise<boolean>, end: () => void): Promise<void> => {
    try {
      if (await isNew) await take(message, end)
      else refused(message, 'message', 'repeated')
    } catch (error) {
      await broke(message, error)
    } finally {
      end()
    }
  }

  return {
    /** Resolves when the message is on disk, and never rejects; the work goes on behind it. */
    receive: async (message: Message): Promise<void> => {
      const { kept, end } = isHeard(message)
        ? ports.begin(message)
        : { kept: undefined, end: () => undefined }
      const isNew = isFirst(message)
      void guarded(message, isNew, end)
      await Promise.all([isNew, kept])
    },
  }
}
