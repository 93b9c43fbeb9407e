import { refusal, type NoticeText } from '../../../core/model/chat/notice.ts'
import { named, prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import { firstWord } from '../../../core/commands/parse.ts'
import type { Command, CommandContext, CommandPorts } from '../../ports.ts'
import { agoWords } from '../../words.ts'
import { ourWords } from '../../../shared/said/our-words.ts'

/** The day of an ISO 8601 time. */
const dayOf = (at: string): Prose => verbatim(/^[\d-]{10}/.exec(at)?.[0] ?? '')

const listText = async (ports: CommandPorts): Promise<Prose> => {
  const passkeys = await ports.passkeys()
  const place = ports.pageOrigin
  if (place === undefined && passkeys.length === 0)
    return prose`The page is for this machine only, so it needs no passkeys. For an address of its own, set channels.web.origin in gate.yaml.`
  const rows = passkeys.map(({ name, owner, rpId, at, usedAtMs }) => {
    const used =
      usedAtMs === undefined ? prose`not used yet` : prose`last used ${agoWords(usedAtMs, ports.now())}`
    return prose`${verbatim(name)} of ${named(owner)}, for ${rpId}\n  added on ${dayOf(at)} · ${used}`
  })
  return proseLines(
    ...(rows.length === 0 ? [prose`There are no passkeys yet.`] : rows),
    prose`A passkey for one more device → /login\nOne less → /passkeys remove <name>`,
  )
}

const removePasskey = async (
  ports: CommandPorts,
  name: string,
  { owner, address, consent }: CommandContext,
): Promise<NoticeText> => {
  const removed = await ports.removePasskey(name.toLowerCase(), consent)
  if (!removed.ok)
    return refusal(
      prose`Nothing changed. ${ourWords(removed.problem.message)}\n${ourWords(removed.problem.fix)}`,
    )
  ports.tellOthers(
    prose`The passkey ${name} of ${named(removed.owner)} was removed by ${named(owner)}. It no longer logs in.`,
    address,
  )
  return prose`The passkey ${name} of ${named(removed.owner)} is removed. It no longer logs in, and its sessions have ended.`
}

/** Lists the passkeys of the web page, and removes one. A link of `/login` adds one. */
export const passkeysCommand = (ports: CommandPorts): Command => ({
  path: 'passkeys',
  usage: '/passkeys [remove <name>]',
  summary: 'the passkeys that log in to the web page',
  need: 'privileged',
  run: (rest, context) => {
    const [word, name] = firstWord(rest)
    if (word === '') return listText(ports)
    if (word.toLowerCase() !== 'remove' || name === '')
      return refusal(prose`Type /passkeys, or /passkeys remove and a name that it shows.`)
    return removePasskey(ports, name, context)
  },
})
