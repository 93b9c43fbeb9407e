/** The two sides of the connection of a node. Each test names the ports that it looks at. */
import { freePort } from '../../src/attack/gate/free-port.ts'
import { createInboxes } from '../../src/node/inboxes.ts'
import { runNode, type NodePorts } from '../../src/node/node.ts'
import { createMembers, type MemberPorts } from '../../src/server/nodes/members.ts'
import { startNodeServer, type NodeServer, type NodeServerOptions } from '../../src/server/nodes/server.ts'

const elapsedMs = (): number => performance.now()

/** The nodes of a gate whose hooks are on. */
export const membersOf = (ports: Pick<MemberPorts, 'enrolled'> & Partial<MemberPorts>) =>
  createMembers({
    agentsOf: () => [],
    approvalsOf: () => [],
    questions: { subscribe: () => () => undefined },
    follow: () => undefined,
    facts: () => ({ isArmed: true, unreachable: 'owner' }),
    hasTwin: () => undefined,
    elapsedMs,
    ...ports,
  })

/** The gate's side for nodes, on a free port of this machine. */
export const serveNodes = async (
  options: Pick<NodeServerOptions, 'members' | 'nodeOf'> & Partial<NodeServerOptions>,
): Promise<NodeServer> =>
  startNodeServer({
    host: '127.0.0.1',
    port: await freePort(),
    enrol: () => Promise.reject(new Error('nobody enrols here')),
    agent: () => undefined,
    propose: () => undefined,
    answer: () => false,
    file: () => undefined,
    bridge: () => () => Promise.resolve(),
    elapsedMs,
    log: () => undefined,
    ...options,
  })

/** A node without hooks of its own, until its signal ends it. */
export const runBareNode = (ports: Pick<NodePorts, 'link' | 'signal'> & Partial<NodePorts>): Promise<void> =>
  runNode({
    home: '/nowhere',
    inboxes: createInboxes(),
    runAgents: () => Promise.resolve(),
    takeHooks: () => Promise.resolve(),
    answer: () => Promise.reject(new Error('no questions here')),
    writeSwitch: () => undefined,
    say: () => undefined,
    now: () => Date.now(),
    log: () => undefined,
    ...ports,
  })
