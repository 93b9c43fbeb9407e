import type { Separation, StartAs } from '../../shared/gate/separation.ts'

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/** The folders of the attacked gate. */
export interface GateFolders {
  readonly home: string
  readonly workspace: string
  readonly userHome: string
}

/** How the agents are separated from the attacked gate. */
export interface AttackMode {
  readonly separation: Separation['kind']
  /** The user of the gate. Absent: the user who starts the attack. */
  readonly gateUser?: SystemUser
  readonly agentUser?: SystemUser
  /** The agents of its gate.yaml. The first one is the attacker. Calls of another one wait for the owner. */
  readonly agents: readonly string[]
  /** The lines of gate.yaml about agents and separation. */
  readonly yaml: string
  /** Returns how the host of the first agent is started. */
  agentAs(folders: GateFolders): StartAs | Promise<StartAs>
  /** Removes what the mode made on this machine. */
  remove(): void
}
