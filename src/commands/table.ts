import { nearest } from '../shared/base/nearest.ts'
import type { MenuItem } from '../core/model/chat/channel.ts'
import { saidAfter, type NoticeText } from '../core/model/chat/notice.ts'
import { prose, verbatim, type Prose } from '../core/model/chat/prose.ts'
import { agentCommand, agentsCommand } from './families/agents/agents.ts'
import { approveCommand, promoteCommand, shadowCommand } from './families/approve.ts'
import { revokeCommand } from './families/revoke.ts'
import {
  compactCommand,
  goalCommand,
  newCommand,
  stopCommand,
  whoamiCommand,
} from './families/agents/chat.ts'
import { budgetCommand, extendBudgetCommand } from './families/agents/budget.ts'
import { answerCommand } from './families/questions/answer.ts'
import { answersAsk, asksCommand } from './families/questions/asks.ts'
import { createCardButtons, type CardButtons } from './cards/card-buttons.ts'
import { editCommand } from './families/questions/edit.ts'
import { diffCommand } from './families/diff.ts'
import { doctorCommand, testCommand } from './families/examine.ts'
import { heldCommand, releaseCommand, withholdCommand } from './families/held.ts'
import { galleryCommand } from './families/shipped/gallery.ts'
import { grantsCommand } from './families/questions/grants.ts'
import { nodesCommand } from './families/agents/nodes.ts'
import { helpText, hooksHelpText } from './families/help.ts'
import { logCommand } from './families/history/log.ts'
import { statsCommand } from './families/history/stats.ts'
import { whyCommand } from './families/history/why.ts'
import { languageCommand } from './families/people/language.ts'
import { listCommand } from './families/list.ts'
import { firstWord, foldTypography, parseChat, type Line } from '../core/commands/parse.ts'
import { noCommand, pendingCommand, yesCommand } from './families/pending.ts'
import { answeredInTime, knownToStandbys } from './shared-database.ts'
import type { Command, CommandContext, CommandPorts } from './ports.ts'
import { passkeysCommand } from './families/people/passkeys.ts'
import { protectCommand } from './families/shipped/protect.ts'
import { createCardReplies } from './replies.ts'
import { createPress, type FoundCommand } from './cards/press.ts'
import { showCommand } from './families/show.ts'
import { answersAboutPeople, loginCommand, ownersCommand, pairCommand } from './families/people/owners.ts'
import { createPersonChanges } from './families/people/role-change.ts'
import { commandsFor, ownersOnly } from './roles.ts'
import { translateInto } from './text/catalogues.ts'
import { startCommand, startLinkText } from './families/people/start.ts'
import { zoneCommand } from './families/people/zone.ts'
import { createTapFirst, type CommandWays } from './tap-first.ts'
import { createCommandQueue } from './turns.ts'
import { offCommand, onCommand, recoverCommand } from './families/switch.ts'
import { tryCommand } from './families/try.ts'
import { undoCommand } from './families/agents/undo.ts'
import { oneLine, shorten } from './words.ts'

/** What answers a card, and what a link sends. A menu sends a command alone, where these say nothing. */
const notInMenu: ReadonlySet<string> = new Set(['y', 'n', 'edit', 'answer', 'start'])

/** The entries of the messengers' own command menus: every command that says something alone. */
const menuOf = (commands: readonly Command[]): readonly MenuItem[] => {
  const list = commands.find(({ path }) => path === 'hooks list')
  return [...(list === undefined ? [] : [{ ...list, path: 'hooks' }]), ...commands]
    .filter(({ path }) => !path.includes(' ') && !notInMenu.has(path))
    .map(({ path, summary }) => {
      const zh = translateInto('zh')(summary)
      return {
        command: path,
        description: summary.charAt(0).toUpperCase() + summary.slice(1),
        ...(zh === undefined ? {} : { translated: { zh } }),
      }
    })
}

/** Every command there is, in the order of the help. */
export const createCommands = (ports: CommandPorts, cardButtons: CardButtons): readonly Command[] => {
  const approve = approveCommand(ports, cardButtons)
  const people = { ...ports, changes: createPersonChanges(ports.now) }
  const hooks: readonly Command[] = [
    listCommand(ports, cardButtons),
    protectCommand(ports, cardButtons),
    galleryCommand(ports, cardButtons),
    pendingCommand(ports, cardButtons),
    onCommand(ports, cardButtons),
    offCommand(ports, cardButtons),
    approve,
    shadowCommand(ports, cardButtons),
    promoteCommand(ports, cardButtons),
    revokeCommand(ports),
    showCommand(ports, cardButtons),
    diffCommand(ports, cardButtons),
    testCommand(ports),
    tryCommand(ports, cardButtons),
    doctorCommand(ports),
    whyCommand(ports),
    logCommand(ports),
    statsCommand(ports),
    heldCommand(ports, cardButtons),
    releaseCommand(ports),
    withholdCommand(ports),
    recoverCommand(ports),
  ]
  const chat = [
    answersAsk(ports, ownersOnly(ports, answersAboutPeople(people, yesCommand(approve), true)), true),
    answersAsk(ports, ownersOnly(ports, answersAboutPeople(people, noCommand(ports), false)), false),
    asksCommand(ports),
    editCommand(ports),
    answerCommand(ports),
    newCommand(ports),
    stopCommand(ports),
    goalCommand(ports),
    compactCommand(ports),
    undoCommand(ports),
    agentsCommand(ports),
    agentCommand(ports),
    nodesCommand(ports),
    startCommand(ports),
    whoamiCommand(ports),
    pairCommand(ports),
    ownersCommand(people, cardButtons),
    grantsCommand(ports, cardButtons),
    loginCommand(ports),
    budgetCommand(ports, cardButtons),
    extendBudgetCommand(ports),
    passkeysCommand(ports),
    languageCommand(ports),
    zoneCommand(ports),
  ]
  const all: readonly Command[] = [
    ...hooks,
    {
      path: 'hooks help',
      usage: '/hooks help [family|event]',
      summary: 'these commands and the events',
      need: 'person',
      run: (rest, { owner }) => hooksHelpText(commandsFor(ports, all, owner), rest),
    },
    ...chat,
    {
      path: 'help',
      usage: '/help [family]',
      summary: 'what you can type',
      need: 'person',
      run: (rest, { owner }) => helpText(commandsFor(ports, all, owner), rest),
    },
  ]
  return all.map((command) => answeredInTime(ports, knownToStandbys(ports, command)))
}

/** A line that was understood and is ready to run, or the reason why it was not understood. */
export type Looked =
  | {
      readonly need: Command['need']
      readonly path: string
      /** Its answer shows the gate, such as handles, so it is for nobody else. */
      readonly isOfGate?: true
      run(context: CommandContext): Promise<NoticeText>
    }
  | { readonly unknown: Prose }

const ready = (
  { inTurn, tapFirst }: CommandWays,
  { command, rest }: FoundCommand,
  raw: string,
  folded?: string,
): Looked => ({
  need: command.need,
  path: command.path,
  ...(/^(?:hooks (?!help)|asks|budget)/.test(command.path) ? { isOfGate: true } : {}),
  run: async (context) => {
    const answer = await tapFirst(command, raw, context, () =>
      inTurn(command, rest === '' ? undefined : rest, (earlier) =>
        command.run(rest, earlier === undefined ? context : { ...context, earlier }),
      ),
    )
    return folded === undefined ? answer : saidAfter(prose`Understood as ${folded}\n`, answer)
  },
})

/** Words of other programs for the list. */
const listWords: ReadonlySet<string> = new Set(['status', 'ls'])

const at = (commands: readonly Command[], name: string, rest: string): FoundCommand | undefined => {
  if (name !== 'hooks') {
    const [typed, after] = firstWord(rest)
    const inner = commands.find(({ path }) => path === `${name} ${typed.toLowerCase()}`)
    if (inner !== undefined) return { command: inner, rest: after }
    const command = commands.find(({ path }) => path === name)
    return command === undefined ? undefined : { command, rest }
  }
  const [typed, after] = firstWord(rest)
  const word = typed.toLowerCase()
  // A number without a word is a page of the list.
  const isPage = word === '' || /^\d+$/.test(word)
  const path = isPage || listWords.has(word) ? 'list' : word
  const command = commands.find((one) => one.path === `hooks ${path}`)
  return command === undefined ? undefined : { command, rest: isPage ? rest : after }
}

/**
 * Words of other programs that people type after `/hooks`, each with the command here. They are only
 * suggested, because these commands change the gate.
 */
const otherWords: Readonly<Record<string, string>> = {
  enable: 'on',
  disable: 'off',
  snooze: 'off',
  pause: 'off',
  remove: 'revoke',
}

/** The punctuation that a person may put behind a command as behind a sentence. */
const sentenceEnd = /[.,!]+$/

/** The answer to a line that is no command, with what the person probably meant. */
const unknownText = (commands: readonly Command[], name: string, rest: string): Prose => {
  const paths = commands.map(({ path }) => path)
  const [word, afterWord] = firstWord(rest)
  const [typed, after] = name === 'hooks' ? [word.toLowerCase(), afterWord] : [name, rest]
  const other = Object.hasOwn(otherWords, typed) ? otherWords[typed] : undefined
  const ofHooks = paths.find(
    (path) => path === `hooks ${other ?? typed}` || (name === 'hooks' && path === typed),
  )
  const whole = name === 'hooks' ? `hooks ${typed}` : name
  const meant = ofHooks ?? nearest(whole, name === 'hooks' ? paths : ['hooks', ...paths])
  const shown = name === 'hooks' ? `hooks ${word}` : name
  if (meant === undefined) return prose`/${shown} is not a command. The agent did not get it.\n→ /help`
  return after === ''
    ? prose`/${shown} is not a command. Did you mean /${verbatim(meant)}? The agent did not get it.\n→ /help`
    : prose`/${shown} is not a command. Did you mean /${verbatim(meant)} ${shorten(oneLine(after), 60)}? The agent did not get it.\n→ /help`
}

type CommandLine = Extract<Line, { readonly kind: 'command' }>

/** Finds the command of a line: first as typed, then without a phone's typography. */
const find = (
  commands: readonly Command[],
  line: CommandLine,
): (FoundCommand & { readonly folded?: string }) | undefined => {
  const found = at(commands, line.name, line.rest)
  if (found !== undefined) return found
  const name = foldTypography(line.name).replace(sentenceEnd, '')
  const rest = foldTypography(line.rest)
  const folded = at(commands, name, rest)
  return folded === undefined ? undefined : { ...folded, folded: `/${name} ${rest}`.trim() }
}

/** The command of a line that a card shows. */
const findTyped =
  (commands: readonly Command[]) =>
  (text: string): FoundCommand | undefined => {
    const parsed = parseChat(text)
    const line = parsed.kind === 'commands' && parsed.lines.length === 1 ? parsed.lines[0] : undefined
    return line?.kind === 'command' ? find(commands, line) : undefined
  }

/** Finds the command of a line. If there is none, the answer suggests the nearest command. */
export const lookUp =
  (commands: readonly Command[], ways: CommandWays) =>
  (line: Line): Looked => {
    if (line.kind === 'malformed')
      return {
        unknown: prose`${line.raw} is not a command. The agent did not get it. To send it to the agent, send it as its own message.`,
      }
    if (line.name === 'start' && line.rest !== '') return { unknown: startLinkText() }
    const found = find(commands, line)
    return found === undefined
      ? { unknown: unknownText(commands, line.name, line.rest) }
      : ready(ways, found, line.raw, found.folded)
  }

/** Makes the command table for the inbox, and the cards of notices to owners. */
export const createTable = (ports: CommandPorts, cardButtons: CardButtons = createCardButtons(ports)) => {
  const commands = createCommands(ports, cardButtons)
  const inTurn = createCommandQueue(ports.refresh)
  const tapFirst = createTapFirst(cardButtons)
  return {
    cardButtons,
    lookUp: lookUp(commands, { inTurn, tapFirst }),
    press: createPress(commands, findTyped(commands), cardButtons, ports, inTurn),
    cardReply: createCardReplies(commands, ports, { inTurn, tapFirst }),
    menu: menuOf(commands),
  }
}
