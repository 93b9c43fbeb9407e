/** Gates that share a database, and the nodes that they serve. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from '../e2e/program.ts'

/** Prepares a home with a gate that serves nodes on this port. Its agent `builder` runs on the node desk. */
export const withNodes =
  (port: number) =>
  (home: string): void => {
    mkdirSync(join(home, '.hookgate'), { recursive: true })
    writeFileSync(
      join(home, '.hookgate', 'gate.yaml'),
      `nodes: {port: ${port}}\nagents:\n  main: {kind: demo}\n  builder: {kind: demo, node: desk}\n`,
    )
  }

/**
 * What an operator copies for a second gate: the key of the ledger, and the files that the agent works on.
 */
export const copyOf =
  ({ gate, workspace }: Pick<Program, 'gate' | 'workspace'>) =>
  (home: string): void => {
    mkdirSync(join(home, '.hookgate', 'secrets'), { recursive: true })
    cpSync(join(gate, 'secrets', 'ledger.key'), join(home, '.hookgate', 'secrets', 'ledger.key'))
    cpSync(workspace, join(home, 'hookgate'), { recursive: true })
  }

/** Runs a statement in the database of the gates. */
export type Run = (sql: string) => Promise<readonly Record<string, unknown>[]>

/** The number of gates that wait and have said so. */
export const waitingGates = async (run: Run): Promise<number> => {
  const rows = await run('SELECT count(*) AS gates FROM hookgate.standby WHERE until > clock_timestamp()')
  return Number(rows[0]?.['gates'])
}

/** The address of the gate and the code in the answer to /nodes add. */
export const invitationIn = (answer: string): { readonly url: string; readonly code: string } => {
  const [, url = '', code = ''] = /hookgate node --gate (\S+) --code (\S+)/.exec(answer) ?? []
  return { url, code }
}
