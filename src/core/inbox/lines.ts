import type { Message } from '../model/chat/channel.ts'
import { noticeOf, type NoticeText } from '../model/chat/notice.ts'
import type { Need } from '../model/gate/person.ts'
import { fixed, joinProse, prose, type Prose, verbatim } from '../model/chat/prose.ts'
import type { Admitted, Context, Replies, ReplyPorts } from './replies.ts'

/** The most commands that are carried out from one message, because each of them gets its own answer. */
export const maxCommands = 20

/** The longest part of a line that is quoted back to its owner, in UTF-16 units. */
const maxNamedUnits = 60
const shorten = (text: string): string =>
  text.length > maxNamedUnits ? `${text.slice(0, maxNamedUnits - 1)}…` : text

/** The part of a parsed line that this module needs. */
export interface CommandLine {
  readonly kind: 'command' | 'malformed'
  readonly raw: string
}

/** The answer to a command of a group that is about the gate. */
const answeredInPrivate = fixed(
  'I answered you in private. If nothing came, write /start to me in a private chat, then ask again.',
)
const noPrivateChat = fixed(
  'The answer is not for a group, and I know no private chat with you. Write /start to me in a private chat, then ask there.',
)

/** The result of a lookup: a command to run, or a text that says why there is none. */
type FoundCommand =
  | {
      readonly need: Need
      readonly path: string
      /** Its answer shows the gate, such as handles, so it is for nobody else. */
      readonly isOfGate?: true
      run(context: Context): Promise<NoticeText>
    }
  | { readonly unknown: NoticeText }

export interface LinePorts<Line extends CommandLine> extends Pick<ReplyPorts, 'admits'> {
  lookUp(line: Line): FoundCommand
  /**
   * The code of `/pair <code>`, which is the only command for somebody who is not an owner. While nobody owns
   * the gate, it is the code of a start link, too. Undefined for another command.
   */
  pairCode(line: Line): string | undefined
  /**
   * Tries the code of a sender, who is told why it does not count if `isHelped`. Resolves with the recorded
   * reason why it does not count, and what its sender is told of that. Undefined: it counts.
   */
  pair(
    message: Message,
    code: string,
    isHelped: boolean,
  ): Promise<{ readonly why: string; readonly said?: Prose } | undefined>
  /** The answer to a newcomer who asks what to do. Undefined: there is none. */
  greet(message: Message): Prose | undefined
  /** True for a line with which a newcomer asks what to do, such as `/start`. */
  isGreeting(line: Line): boolean
}

/** Returns the recorded reason why an owner's line is not a command of this gate. */
const unknownReason = ({ kind, raw }: CommandLine): string => {
  if (kind === 'malformed') return 'malformed'
  const [word = '', more = ''] = raw.split(/\s+/, 2)
  // Another person chose the text after "start" in a link.
  if (/^[/／]start$/i.test(word) && more !== '') return 'start_link'
  return word.includes('@') ? 'other_bot' : 'unknown_command'
}

/** Carries out the commands of a message, in order. */
export const createLines = <Line extends CommandLine>(ports: LinePorts<Line>, replies: Replies) => {
  const { say, refused } = replies

  const pair = async (message: Message, code: string, isHelped: boolean): Promise<void> => {
    const failed = await ports.pair(message, code, isHelped)
    if (failed === undefined) return
    refused(message, 'pair', failed.why)
    if (failed.said !== undefined) await say(message, failed.said)
  }

  /** Resolves with true when the line was carried out. */
  const runLine = async (message: Message, line: Line): Promise<boolean> => {
    const heard = ports.admits(message, 'person')
    const code = ports.pairCode(line)
    if (code !== undefined) {
      await pair(message, code, heard.ok || heard.words !== undefined)
      return true
    }
    if (!heard.ok) {
      await replies.refuseOutsider(message, 'command', heard, 'not_owner')
      return false
    }
    const found = ports.lookUp(line)
    if ('unknown' in found) {
      const reason = unknownReason(line)
      refused(message, 'command', reason)
      // In a group the other bot may be present and answer.
      if (reason === 'other_bot' && !message.isPrivate) return true
      await say(message, found.unknown)
      return false
    }
    const admitted = ports.admits(message, found.need)
    if (!admitted.ok) {
      refused(message, found.path, admitted.code)
      const why = admitted.words ?? verbatim(admitted.code)
      await say(message, prose`/${verbatim(found.path)} was not carried out: ${why}`)
      return false
    }
    const isForPrivate = !message.isPrivate && found.isOfGate === true
    const context = isForPrivate ? replies.privateContextOf(message) : replies.contextOf(message)
    if (context === undefined) {
      await say(message, noPrivateChat)
      return false
    }
    const answer = await found.run(context)
    await say(context.message, answer)
    if (isForPrivate) await say(message, answeredInPrivate)
    return noticeOf(answer).isRefusal !== true
  }

  /** Carries out one line. When it fails, the lines after it are not carried out either. */
  const runSafely = (message: Message, line: Line): Promise<boolean> =>
    runLine(message, line).catch(async (error: unknown) => {
      await replies.broke(message, error)
      return false
    })

  /** Names a line for its owner. The command's own name is always readable, and what follows it is quoted. */
  const nameOf = (line: Line): Prose => {
    const found = ports.lookUp(line)
    const [, first = '', rest = ''] = /^(\S+)\s*([^]*)$/.exec(line.raw) ?? []
    if ('unknown' in found) return prose`  ${shorten(line.raw)}`
    const words = found.path.split(' ').length > 1 ? rest.replace(/^\S+\s*/, '') : rest
    return prose`  /${verbatim(found.path)}${first === '' || words === '' ? [] : prose` ${shorten(words)}`}`
  }

  const isOff = (line: Line): boolean => {
    const found = ports.lookUp(line)
    return 'need' in found && found.need === 'off'
  }

  /**
   * Carries out the lines of an owner's message in order. Lines that are pasted together belong together. So
   * when one line is not carried out, the lines after it are listed for the person to send again. Turning
   * hooks off always works.
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
    await say(
      message,
      joinProse(
        [
          left.length === 1
            ? fixed('This line was not carried out, because an earlier line failed:')
            : prose`These ${left.length} lines were not carried out, because an earlier line failed:`,
          ...left.map(nameOf),
          fixed('Send the lines that you still want again.'),
        ],
        '\n',
      ),
    )
  }

  /**
   * A message of somebody without a role leaves one record, however many lines it has. Such a person can only
   * pair.
   */
  return async (message: Message, lines: readonly Line[], heard: Admitted): Promise<void> => {
    const wanted = heard.ok ? lines : lines.filter((line) => ports.pairCode(line) !== undefined).slice(0, 1)
    if (wanted.length === 0) {
      await replies.refuseOutsider(message, 'command', heard, 'not_owner')
      const greeting = lines.some(ports.isGreeting) ? ports.greet(message) : undefined
      return greeting === undefined ? undefined : say(message, greeting)
    }
    await runInOrder(message, wanted.slice(0, maxCommands))
    if (wanted.length > maxCommands) {
      const words = prose`Of ${wanted.length} lines, only the first ${maxCommands} were read. Send the rest again.`
      await say(message, words)
    }
  }
}
