import { join } from 'node:path'
import { isMap, isScalar, parseDocument } from 'yaml'
import type { AsAgent } from './first-start.ts'
import { readBounded, type Refuses } from './read-bounded.ts'
import { agentSchema } from './schema.ts'

const maxBytes = 256_000
export const switchFile = (workspace: string): string => join(workspace, 'config', 'agent.yaml')

/** What agent.yaml says of the switch: true, false, or undefined when it says nothing that can be read. */
export const readSwitchFace = (workspace: string): boolean | undefined => {
  const read = readBounded(switchFile(workspace), maxBytes)
  if ('why' in read) return undefined
  try {
    const document = parseDocument(read.text, { logLevel: 'error' })
    // Half a file, while somebody writes it, says nothing.
    if (document.errors.length > 0) return undefined
    const parsed = agentSchema.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {})
    const said = parsed.success ? parsed.data.shell_hooks?.enabled : undefined
    return said === undefined ? undefined : [true, 'on', 'yes', 'true', 1].includes(said)
  } catch {
    return undefined
  }
}

/** It lies in the agent's folder: written with the agent's rights, and read only if the agent could. */
export interface FacePorts {
  readonly asAgent: AsAgent
  readonly refuses?: Refuses
}

/**
 * Writes the switch into agent.yaml, comments kept. The file only shows the switch, so a failure to write it changes
 * nothing in the gate: it is returned as words for the owner.
 */
export const writeSwitchFace = (workspace: string, isOn: boolean, { asAgent, refuses }: FacePorts): string | undefined => {
  const path = switchFile(workspace)
  const read = readBounded(path, maxBytes, refuses)
  if ('why' in read && read.why !== 'missing') return `config/agent.yaml was left as it is: it is ${read.why}.`
  try {
    const document = parseDocument('text' in read ? read.text : '', { logLevel: 'error' })
    if (document.errors.length > 0) return 'config/agent.yaml was left as it is: it is not valid YAML.'
    if (document.contents !== null && !isMap(document.contents)) return 'config/agent.yaml was left as it is: it is not a mapping.'
    const face = document.get('shell_hooks', true)
    if (isMap(face)) document.setIn(['shell_hooks', 'enabled'], isOn)
    else if (face === undefined || (isScalar(face) && face.value === null)) document.set('shell_hooks', document.createNode({ enabled: isOn }))
    else return 'config/agent.yaml was left as it is: its shell_hooks is not a mapping.'
    // What lies at the temporary name is removed, and a link laid there meanwhile is refused: neither is followed.
    const why = asAgent('umask 022; rm -f "$1"; set -C; cat > "$1" && mv "$1" "$2" || { rm -f "$1"; exit 1; }', [`${path}.hookgate-${process.pid}`, path], document.toString())
    if (why !== undefined) return 'config/agent.yaml could not be written; the switch itself is set.'
    return undefined
  } catch {
    return 'config/agent.yaml could not be written; the switch itself is set.'
  }
}
