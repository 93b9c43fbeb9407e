import type { Message } from '../model/chat/channel.ts'
import { noticeOf, type NoticeText } from '../model/chat/notice.ts'
import { fixed, joinProse, prose, type Prose } from '../model/chat/prose.ts'
import { createPairTalk, type PairPorts } from './pair.ts'
import type { Admitted, Context, Replies, ReplyPorts } from './replies.ts'

/** More commands than this in one message are not carried out: each gets an answer of its own. */
export const maxCommands = 20

/** Of a line that is named to its owner, in UTF-16 units. */
const maxNamedUnits = 60
const shorten = (text: string): string =>
  text.length > maxNamedUnits ? `${text.slice(0, maxNamedUnits - 1)}…` : text

/** A parsed line, as this module needs it. */
export interface CommandLine {
  readonly kind: 'command' | 'malformed'
  readonly raw: string
}

/** What a line turned out to be: something to run, or words that say why not. */
type FoundCommand =
  | {
      readonly need: 'owner' | 'privileged' | 'off'
      readonly path: string
      run(context: Context): Promise<NoticeText>
    }
  | { readonly unknown: NoticeText }

export interface LinePorts<Line extends CommandLine>
  extends Pick<PairPorts, 'pair' | 'ownerChats'>, Pick<ReplyPorts, 'admits' | 'notify'> {
  lookUp(line: Line): FoundCommand
  /** `/pair <code>`: the only command of somebody who is no owner. Undefined when the line is another command. */
  pairCode(line: Line): string | undefined
}

/** Why a line of an owner's is nothing that could be carried out, as the record names it. */
const oddity = ({ kind, raw }: CommandLine): string => {
  if (kind === 'malformed') return 'malformed'
  const [word = '', more = ''] = raw.split(/\s+/, 2)
  // What follows "start" in a link, another chose.
  if (/^[/／]start$/i.test(word) && more !== '') return 'start_link'
  return word.includes('@') ? 'other_bot' : 'unknown_command'
}

/** Carries out the commands of a message, in order. */
export const createLines = <Line extends CommandLine>(ports: LinePorts<Line>, replies: Replies) => {
  const { say, refused } = replies
  const pair = createPairTalk({ ...ports, refused })

  /** Resolves with whether the line was carried out. */
  const runLine = async (message: Message, line: Line): Promise<boolean> => {
    const heard = ports.admits(message, 'message')
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
    const said = await found.run(replies.contextOf(message))
    await say(message, said)
    return noticeOf(said).isRefusal !== true
  }

  /** A line that breaks stops the lines after it, too. */
  const runSafely = (message: Message, line: Line): Promise<boolean> =>
    runLine(message, line).catch(async (error: unknown) => {
      await replies.broke(message, error)
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
  return async (message: Message, lines: readonly Line[], heard: Admitted): Promise<void> => {
    const wanted = heard.ok ? lines : lines.filter((line) => ports.pairCode(line) !== undefined).slice(0, 1)
    if (wanted.length === 0) return replies.refuseOutsider(message, 'command', heard, 'not_owner')
    await runInOrder(message, wanted.slice(0, maxCommands))
    if (wanted.length > maxCommands) {
      const words = `Of ${wanted.length} lines only the first ${maxCommands} were read. Send the rest again.`
      await say(message, fixed(words))
    }
  }
}
