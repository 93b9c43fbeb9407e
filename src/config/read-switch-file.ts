import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { isMap, isScalar, parseDocument, type Document } from 'yaml'
import { isInside, readBounded, type Refuses } from './read-bounded.ts'
import { agentSchema } from './schema.ts'
import { notWritten, switchFile, type Rendered } from './switch-file.ts'

const maxBytes = 256_000

/** How often a mapping has a key. The parser does not look for that, since it would take the square of their number. */
const countOf = (map: unknown, key: string): number =>
  isMap(map) ? map.items.filter((item) => isScalar(item.key) && item.key.value === key).length : 0

/** The file as YAML, or undefined where it is none or says something twice that is ours. */
const parse = (text: string): Document | undefined => {
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, uniqueKeys: false })
  const isTwice = countOf(document.contents, 'shell_hooks') > 1
  // Half a file, while somebody writes it, says nothing.
  if (document.errors.length > 0 || isTwice) return undefined
  return countOf(document.get('shell_hooks', true), 'enabled') > 1 ? undefined : document
}

/**
 * What agent.yaml says of the switch: true, false, or undefined when it says nothing that can be read. The file is the
 * agent's, and four kilobytes can keep the parser busy for ever: only a thread that can be killed may call this.
 */
export const readSwitchFile = (workspace: string): boolean | undefined => {
  const read = readBounded(switchFile(workspace), maxBytes)
  if ('why' in read) return undefined
  try {
    const parsed = agentSchema.safeParse(parse(read.text)?.toJS({ maxAliasCount: 100 }) ?? {})
    const said = parsed.success ? parsed.data.shell_hooks?.enabled : undefined
    return said === undefined ? undefined : [true, 'on', 'yes', 'true', 1].includes(said)
  } catch {
    return undefined
  }
}

/** Whether the folder of the file is the workspace's own. A link can lead anywhere, into the gate's folder as well. */
const isAtHome = (workspace: string): boolean => {
  try {
    return isInside(realpathSync(workspace), realpathSync(dirname(switchFile(workspace))))
  } catch {
    // What is not there leads nowhere.
    return true
  }
}

const leftAsItIs = (why: string): Rendered => ({ why: `config/agent.yaml was left as it is: ${why}.` })

/** What agent.yaml has to say now. Like the reading, it is nothing for the gate's own thread. `refuses`: read only if the agent could. */
export const renderSwitchFile = (workspace: string, isOn: boolean, refuses?: Refuses): Rendered => {
  if (!isAtHome(workspace)) return leftAsItIs('its folder is a link that leaves the workspace')
  const read = readBounded(switchFile(workspace), maxBytes, refuses)
  if ('why' in read && read.why !== 'missing') return leftAsItIs(`it is ${read.why}`)
  try {
    const document = parse('text' in read ? read.text : '')
    if (document === undefined) return leftAsItIs('it is not valid YAML')
    if (document.contents !== null && !isMap(document.contents)) return leftAsItIs('it is not a mapping')
    const face = document.get('shell_hooks', true)
    if (isMap(face)) document.setIn(['shell_hooks', 'enabled'], isOn)
    else if (face === undefined || (isScalar(face) && face.value === null))
      document.set('shell_hooks', document.createNode({ enabled: isOn }))
    else return leftAsItIs('its shell_hooks is not a mapping')
    return { text: document.toString() }
  } catch {
    return notWritten
  }
}
