import type { Consent } from '../../../core/model/gate/consent.ts'
import { refusal, type NoticeText } from '../../../core/model/chat/notice.ts'
import { joinProse, named, prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import { firstWord } from '../../../core/commands/parse.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import type { Standby } from '../../../shared/gate/standby.ts'
import { agoWords } from '../../words.ts'
import { ourWords } from '../../../shared/said/our-words.ts'

type Listed = ReturnType<CommandPorts['nodes']>[number]

const howToListen = prose`gate.yaml has no nodes yet. Add a line such as nodes: {port: 8790} to it and start hookgate again.`

const stateText = ({ connected, heardMs }: Listed, nowMs: number): Prose => {
  if (connected !== undefined) {
    const version = verbatim(connected.version)
    return connected.lagMs === undefined
      ? prose`connected · version ${version}`
      : prose`connected · version ${version} · answers in ${Math.max(1, Math.round(connected.lagMs))} ms`
  }
  return heardMs === undefined
    ? prose`not connected`
    : prose`not connected · last heard ${agoWords(heardMs, nowMs)}`
}

const nodeText = (node: Listed, nowMs: number): Prose => {
  const agents = node.agents.length === 0 ? [] : [prose`  agents: ${joinProse(node.agents.map(named), ', ')}`]
  return proseLines(named(node.name), prose`  ${stateText(node, nowMs)}`, ...agents)
}

/** A gate that waits. One that the first one has to wait for is behind by few lines, and not for long. */
const gateText = ({ holder, version, behind, why }: Standby): Prose => {
  const facts = prose`${named(holder)} · version ${verbatim(version)}`
  if (why !== null) return prose`⚠ ${facts} · it would begin in lockdown: ${ourWords(why)}`
  if (behind === 0) return prose`${facts} · ready`
  return behind === 1 ? prose`${facts} · 1 act behind` : prose`${facts} · ${behind} acts behind`
}

/** The lines about the gates of one database. */
const gatesText = async ({ gateMachine, waitingGates }: CommandPorts): Promise<Prose> => {
  const works = prose`The gate runs on ${named(gateMachine)}.`
  const waiting = await waitingGates().catch(() => undefined)
  if (waiting === undefined) return prose`${works} Its database cannot be reached.`
  return waiting.length === 0
    ? works
    : proseLines(works, prose`Waiting to take over:`, ...waiting.map(gateText))
}

const listText = async (ports: CommandPorts): Promise<Prose> => {
  const nodes = ports.nodes()
  const rows =
    nodes.length === 0 ? [prose`There are no nodes yet.`] : nodes.map((node) => nodeText(node, ports.now()))
  const next =
    ports.nodeUrl === undefined
      ? howToListen
      : prose`One more machine → /nodes add <name>\nOne less → /nodes remove <name>`
  return proseLines(await gatesText(ports), ...rows, next)
}

const addNode = (ports: CommandPorts, name: string, consent: Consent): NoticeText => {
  if (ports.nodeUrl === undefined) return refusal(howToListen)
  const invited = ports.inviteNode(name, consent)
  if (!invited.ok)
    return refusal(
      prose`Nothing changed. ${ourWords(invited.problem.message)}\n${ourWords(invited.problem.fix)}`,
    )
  const line = verbatim(`hookgate node --gate ${ports.nodeUrl} --code ${invited.code}`)
  return prose`Start this on the other machine within 30 minutes. The code works once.\n${line}\nYou get a message when ${named(name)} has joined.`
}

const removeNode = async (
  ports: CommandPorts,
  name: string,
  consent: Consent,
  tellOthers: (text: Prose) => void,
): Promise<NoticeText> => {
  const removed = await ports.removeNode(name, consent)
  if (!removed.ok)
    return refusal(
      prose`Nothing changed. ${ourWords(removed.problem.message)}\n${ourWords(removed.problem.fix)}`,
    )
  tellOthers(
    prose`The node ${named(name)} was removed by ${consent.by}. Its agents and clients are no longer served.`,
  )
  return prose`The node ${named(name)} is removed. Its agents and clients are no longer served.`
}

/** Lists the machines of this gate, and adds or removes one. */
export const nodesCommand = (ports: CommandPorts): Command => ({
  path: 'nodes',
  usage: '/nodes [add|remove <name>]',
  summary: 'the machines whose agents this gate judges',
  need: 'privileged',
  run: (rest, { consent, address }) => {
    const [word, name] = firstWord(rest)
    if (word === '') return listText(ports)
    const verb = word.toLowerCase()
    const node = name.trim().toLowerCase()
    if (verb === 'add' && node !== '') return addNode(ports, node, consent)
    if (verb === 'remove' && node !== '')
      return removeNode(ports, node, consent, (text) => ports.tellOthers(text, address))
    return refusal(prose`Type /nodes, /nodes add <name> or /nodes remove <name>.`)
  },
})
