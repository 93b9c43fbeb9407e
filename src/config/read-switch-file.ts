import { isMap, isScalar, parseDocument, type Document } from 'yaml'
import { z } from 'zod'
import { isFolderInside, readBounded, type Refuses } from './read-bounded.ts'
import { notWritten, switchFile, type Rendered } from './switch-file.ts'

const maxBytes = 256_000
const aSwitch = 'on, off, yes, no, true or false'

/**
 * The schema of `<workspace>/config/agent.yaml`. hookgate owns only the copy of the switch in it; the rest
 * belongs to the agent. YAML 1.2 reads `on` and `yes` as strings.
 */
export const agentSchema = z.looseObject({
  shell_hooks: z
    .looseObject({
      enabled: z
        .union(
          [
            z.boolean(),
            z
              .string()
              .toLowerCase()
              .pipe(z.enum(['on', 'off', 'yes', 'no', 'true', 'false'])),
            z.literal([0, 1]),
          ],
          aSwitch,
        )
        .optional()
        .describe(
          'It shows whether hooks are on. hookgate writes it when an owner turns the switch, and reads it once, at the first start.',
        ),
    })
    .optional()
    .describe('hookgate shows the switch here. The rest of the file belongs to the agent.'),
})

/**
 * Counts how often a mapping has a key. The parser's own check is off, because its time grows with the square
 * of the number of keys.
 */
const countOf = (map: unknown, key: string): number =>
  isMap(map) ? map.items.filter((item) => isScalar(item.key) && item.key.value === key).length : 0

/** Parses the file. Returns undefined if it is not YAML or repeats one of our keys. */
const parse = (text: string): Document | undefined => {
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, uniqueKeys: false })
  const isTwice = countOf(document.contents, 'shell_hooks') > 1
  // A file that somebody is still writing may be incomplete, so a file with errors says nothing.
  if (document.errors.length > 0 || isTwice) return undefined
  return countOf(document.get('shell_hooks', true), 'enabled') > 1 ? undefined : document
}

/**
 * Reads the switch in agent.yaml: true, false, or undefined if it is not readable. The agent can write this
 * file, and four kilobytes can keep the parser busy for ever. So only a thread that can be killed may call
 * this function.
 */
export const readSwitchFile = (workspace: string): boolean | undefined => {
  const read = readBounded(switchFile(workspace), maxBytes)
  if ('why' in read) return undefined
  try {
    const parsed = agentSchema.safeParse(parse(read.text)?.toJS({ maxAliasCount: 100 }) ?? {})
    const enabled = parsed.success ? parsed.data.shell_hooks?.enabled : undefined
    return enabled === undefined ? undefined : [true, 'on', 'yes', 'true', 1].includes(enabled)
  } catch {
    return undefined
  }
}

const leftAsItIs = (why: string): Rendered => ({ why: `config/agent.yaml was left as it is: ${why}.` })

/**
 * Returns the new text of agent.yaml. The gate's main thread must not call this, for the same reason as
 * `readSwitchFile`. With `refuses` the file is read only if the agent could read it.
 */
export const renderSwitchFile = (workspace: string, isOn: boolean, refuses?: Refuses): Rendered => {
  if (!isFolderInside(workspace, switchFile(workspace)))
    return leftAsItIs('its folder is a link that leaves the workspace')
  const read = readBounded(switchFile(workspace), maxBytes, refuses)
  if ('why' in read && read.why !== 'missing') return leftAsItIs(`it is ${read.why}`)
  try {
    const document = parse('text' in read ? read.text : '')
    if (document === undefined) return leftAsItIs('it is not valid YAML')
    if (document.contents !== null && !isMap(document.contents)) return leftAsItIs('it is not a mapping')
    const shellHooks = document.get('shell_hooks', true)
    if (isMap(shellHooks)) document.setIn(['shell_hooks', 'enabled'], isOn)
    else if (shellHooks === undefined || (isScalar(shellHooks) && shellHooks.value === null))
      document.set('shell_hooks', document.createNode({ enabled: isOn }))
    else return leftAsItIs('its shell_hooks is not a mapping')
    return { text: document.toString() }
  } catch {
    return notWritten
  }
}
