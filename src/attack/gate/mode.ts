import type { Separation, StartAs } from '../../model/gate/separation.ts'

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/** The folders of the gate that is attacked. */
export interface GateFolders {
  readonly home: string
  readonly workspace: string
  readonly userHome: string
}

/** How far the agents are kept from the gate that is attacked. */
export interface AttackMode {
  readonly separation: Separation['kind']
  /** Absent: whoever starts the attack. */
  readonly gateUser?: SystemUser
  readonly agentUser?: SystemUser
  /** The agents of its gate.yaml. The first is the attacker, and another one's calls wait for the owner. */
  readonly agents: readonly string[]
  /** What gate.yaml says about agents and separation. */
  readonly yaml: string
  /** How the host of the first agent is started. */
  agentAs(folders: GateFolders): StartAs
  /** Takes away what the mode made on this machine. */
  remove(): void
}
