import type { ConditionOf } from '../../core/hooks/match/matcher.ts'
import { memoizeEach } from '../../core/model/base/memoize.ts'
import { callOf, type ConditionCall } from './call.ts'
import { globOf, whole } from './glob.ts'
import { pathRule, type RuleLocation } from './path-rule.ts'

/**
 * The condition of a Claude Code hook is one of its permission rules, `Tool` or `Tool(specifier)`. A
 * condition that cannot be decided counts as held, so that the hook is asked. Source: Claude Code's
 * documentation of hooks ("if") and of permissions.
 */

/** True when the hook has to be asked. */
export type Condition = (call: ConditionCall) => boolean

interface ToolRule {
  readonly tool: string
  readonly specifier?: string
}

/** Parses one rule. Undefined for text that is not exactly one rule. */
const ruleOf = (text: string): ToolRule | undefined => {
  const [found, tool, specifier = ''] = /^([\w*-]+)(?:\(([^]*)\))?$/.exec(text.trim()) ?? []
  if (found === undefined || tool === undefined) return undefined
  if (specifier.trim() === '' || specifier.trim() === '*') return { tool }
  return /\)[\s|&,]+[\w*-]+\(/.test(specifier) ? undefined : { tool, specifier: specifier.trim() }
}

/** Task and Agent are two names of one tool. */
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

type SpecifierReader = (specifier: string, location: RuleLocation) => Condition

/**
 * True when the rule matches one of the commands in the line. `ls *` and `ls:*` end at a word; `ls*` does
 * not.
 */
const shellRule: SpecifierReader = (specifier) => {
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
  (field: string): SpecifierReader =>
  (specifier, location) => {
    const isMeant = pathRule(specifier, location)
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

/** `*.example.com` matches each subdomain at any depth. Elsewhere `*` does not cross a dot. */
const domainRule: SpecifierReader = (specifier) => {
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

/** Matches an argument that has this value. An absent argument never matches, unless `isNeeded`. */
const argumentRule = (name: string, value: string, isNeeded = false): Condition => {
  const pattern = whole(globOf(value))
  return ({ argument, fits }) => {
    const given = argument(name)
    if (given === undefined || given === null || typeof given === 'object') return isNeeded
    return pattern === undefined || fits(pattern, String(given))
  }
}

interface Specifiers {
  /** The argument that holds the tool's content. `Tool(name:value)` never means this one. */
  readonly content: string
  readonly reads: SpecifierReader
}

const paths = (content: string): Specifiers => ({ content, reads: ruleForPath(content) })

/** The way in which each tool's specifier is read. */
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

/**
 * The arguments of Bash that a rule can name. The list is fixed, because a command may hold a colon anywhere.
 */
const bashArguments = /^(?:run_in_background|timeout|description|dangerouslyDisableSandbox)$/

const specifierOf = ({ tool, specifier = '' }: ToolRule, location: RuleLocation): Condition | undefined => {
  const [, name = '', value = ''] = /^(\w+)\s*:\s*([^]*)$/.exec(specifier) ?? []
  const known = Object.hasOwn(specifiers, named(tool)) ? specifiers[named(tool)] : undefined
  if (name !== '' && name === known?.content) return undefined
  const isArgument =
    tool === 'Bash' ? bashArguments.test(name) : name !== '' && name !== 'domain' && !value.startsWith('//')
  return isArgument ? argumentRule(name, value) : known?.reads(specifier, location)
}

/** A remark for people about a condition that is not fully understood; undefined otherwise. */
export const conditionRemark = (text: string): string | undefined => {
  const rule = ruleOf(text)
  const shown = JSON.stringify(text.slice(0, 100))
  if (rule === undefined)
    return `Its condition ${shown} is not one permission rule, so the hook is asked each time.`
  if (rule.specifier === undefined || specifierOf(rule, { workspace: '/', origin: '' }) !== undefined)
    return undefined
  return `Only the tool of its condition ${shown} counts: the part in brackets is not supported for ${rule.tool}.`
}

/** Compiles the condition for tool calls with Claude Code's names. */
export const compileCondition = (text: string, location: RuleLocation): Condition => {
  const rule = ruleOf(text)
  if (rule === undefined) return () => true
  const isMeant = isForTool(rule.tool)
  const holds = rule.specifier === undefined ? undefined : specifierOf(rule, location)
  return (call) => isMeant(call) && (holds === undefined || holds(call))
}

/** All conditions of hooks of one system share what they read of a payload. */
const callOfEach = memoizeEach(callOf)

/** Compiles the condition of a hook, for payloads in the names of its own system. */
export const conditionOf: ConditionOf = ({ entry: { condition, origin }, workspace }) => {
  if (condition === undefined) return undefined
  const holds = compileCondition(condition, { workspace, origin })
  return (payload) => holds(callOfEach(payload))
}
