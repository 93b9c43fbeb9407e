import type { ConditionCall } from './call.ts'
import { globOf, whole } from './glob.ts'
import { pathRule, type RulePlaces } from './path-rule.ts'

/**
 * The condition of a Claude Code hook: one of its permission rules, `Tool` or `Tool(specifier)`. Whatever
 * cannot be decided counts as held, so that the hook is asked. Source: its documentation of hooks ("if") and
 * of permissions.
 */

/** Whether the hook has to be asked. */
export type Condition = (call: ConditionCall) => boolean

interface ToolRule {
  readonly tool: string
  readonly specifier?: string
}

/** One rule; undefined for what is none, or more than one. */
const ruleOf = (text: string): ToolRule | undefined => {
  const [found, tool, specifier = ''] = /^([\w*-]+)(?:\(([^]*)\))?$/.exec(text.trim()) ?? []
  if (found === undefined || tool === undefined) return undefined
  if (specifier.trim() === '' || specifier.trim() === '*') return { tool }
  return /\)[\s|&,]+[\w*-]+\(/.test(specifier) ? undefined : { tool, specifier: specifier.trim() }
}

/** Two names of one tool. */
const named = (tool: string): string => (tool === 'Task' ? 'Agent' : tool)

const isForTool = (rule: string): Condition => {
  const pattern = rule.includes('*') ? whole(globOf(rule)) : undefined
  const isServer = /^mcp__(?:(?!__)[^*])+$/.test(rule)
  return ({ tool, fits }) => {
    if (typeof tool !== 'string' || (rule.includes('*') && pattern === undefined)) return true
    return (
      named(tool) === named(rule) ||
      (pattern !== undefined && fits(pattern, tool)) ||
      (isServer && tool.startsWith(`${rule}__`))
    )
  }
}

type Reads = (specifier: string, places: RulePlaces) => Condition

/** Whether one of the commands in the line is meant. `ls *` and `ls:*` end at a word; `ls*` does not. */
const shellRule: Reads = (specifier) => {
  const text = specifier.replace(/:\*$/, ' *')
  const pattern = whole(text.endsWith(' *') ? `${globOf(text.slice(0, -2))}(?: .*)?` : globOf(text))
  const isNameOnly = /^[^\s*]+(?: \*|\*)?$/.test(text)
  return (call) => {
    const line = call.line()
    if (line === undefined || pattern === undefined || (line.isOpen && !isNameOnly)) return true
    return line.commands.some(
      ({ texts, isNameOpen }) => isNameOpen || texts.some((one) => call.fits(pattern, one)),
    )
  }
}

const maxPathChars = 4096

const ruleForPath =
  (field: string): Reads =>
  (specifier, places) => {
    const isMeant = pathRule(specifier, places)
    return ({ argument, cwd, fits }) => {
      const path = argument(field)
      return (
        typeof path !== 'string' ||
        path.length > maxPathChars ||
        cwd.length > maxPathChars ||
        isMeant(path, cwd, fits)
      )
    }
  }

/** `*.example.com` is each subdomain, at any depth; elsewhere a `*` stays between two dots. */
const domainRule: Reads = (specifier) => {
  const domain = /^domain:(.+)$/.exec(specifier)?.[1]?.trim().replace(/\.$/, '')
  const rest = domain?.replace(/^\*\./, '') ?? ''
  const source = domain === '*' ? '.*' : `${rest === domain ? '' : String.raw`.+\.`}${globOf(rest, '[^.]*')}`
  const pattern = domain === undefined ? undefined : whole(source, 'is')
  return ({ argument, fits }) => {
    const url = argument('url')
    const host = typeof url === 'string' ? URL.parse(url)?.hostname.replace(/\.$/, '') : undefined
    return host === undefined || pattern === undefined || fits(pattern, host)
  }
}

/** An argument that has this value. One that is not given is never meant. */
const argumentRule = (name: string, value: string, isNeeded = false): Condition => {
  const pattern = whole(globOf(value))
  return ({ argument, fits }) => {
    const given = argument(name)
    if (given === undefined || given === null || typeof given === 'object') return isNeeded
    return pattern === undefined || fits(pattern, String(given))
  }
}

interface Specifiers {
  /** The argument that `Tool(name:value)` never means: its content. */
  readonly content: string
  readonly reads: Reads
}

const paths = (content: string): Specifiers => ({ content, reads: ruleForPath(content) })

/** How each tool's specifier is read. */
const specifiers: Readonly<Record<string, Specifiers>> = {
  Bash: { content: 'command', reads: shellRule },
  Read: paths('file_path'),
  Edit: paths('file_path'),
  Write: paths('file_path'),
  MultiEdit: paths('file_path'),
  NotebookEdit: paths('notebook_path'),
  Glob: paths('path'),
  Grep: paths('path'),
  LS: paths('path'),
  WebFetch: { content: 'url', reads: domainRule },
  Agent: { content: 'prompt', reads: (specifier) => argumentRule('subagent_type', specifier, true) },
}

/** Of Bash, since a command may hold a colon anywhere. */
const bashArguments = /^(?:run_in_background|timeout|description|dangerouslyDisableSandbox)$/

const specifierOf = ({ tool, specifier = '' }: ToolRule, places: RulePlaces): Condition | undefined => {
  const [, name = '', value = ''] = /^(\w+)\s*:\s*([^]*)$/.exec(specifier) ?? []
  const known = Object.hasOwn(specifiers, named(tool)) ? specifiers[named(tool)] : undefined
  if (name !== '' && name === known?.content) return undefined
  const isArgument =
    tool === 'Bash' ? bashArguments.test(name) : name !== '' && name !== 'domain' && !value.startsWith('//')
  return isArgument ? argumentRule(name, value) : known?.reads(specifier, places)
}

/** What people must know of a condition that is not read whole; undefined where it is. */
export const conditionRemark = (text: string): string | undefined => {
  const rule = ruleOf(text)
  const shown = JSON.stringify(text.slice(0, 100))
  if (rule === undefined) return `Its condition ${shown} is not one permission rule: it is asked each time.`
  if (rule.specifier === undefined || specifierOf(rule, { workspace: '/', origin: '' }) !== undefined)
    return undefined
  return `Of its condition ${shown} only the tool counts: its brackets are not known for ${rule.tool}.`
}

/** The condition, ready to be tried on tool calls in Claude Code's names. */
export const compileCondition = (text: string, places: RulePlaces): Condition => {
  const rule = ruleOf(text)
  if (rule === undefined) return () => true
  const isMeant = isForTool(rule.tool)
  const holds = rule.specifier === undefined ? undefined : specifierOf(rule, places)
  return (call) => isMeant(call) && (holds === undefined || holds(call))
}
