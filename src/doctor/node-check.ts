import { prose, type Prose } from '../core/model/chat/prose.ts'
import { descriptorLimit } from '../shared/base/bounded-server.ts'
import { descriptorsFor, nodesFor } from '../shared/nodes/room.ts'
import { warn, type Finding } from './check.ts'

/** What it means that a gate lets in more machines than it has room for. Undefined: it has room for all. */
export const narrowText = (nodes: number, limit = descriptorLimit()): Prose | undefined =>
  nodes <= nodesFor(limit)
    ? undefined
    : prose`${nodes} machines are nodes, and this gate has room for ${nodesFor(limit)} that work at the same time, because it may open ${limit} files. Others may be refused then. → Let it open ${descriptorsFor(nodes)}, and start it again. In a unit of systemd: LimitNOFILE=${descriptorsFor(nodes)}`

/** The finding about the machines that are nodes. */
export const nodeFindings = (nodes: number): readonly Finding[] => {
  const text = narrowText(nodes)
  return text === undefined ? [] : [warn(text)]
}
