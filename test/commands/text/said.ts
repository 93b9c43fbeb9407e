import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'vite'
import { isObject } from '../../../src/core/model/base/json.ts'
import { keyOf } from '../../../src/core/model/chat/prose.ts'
import type { Unit } from './units.ts'

/**
 * The code whose English texts a chat can show: problems, faults, reasons, remarks and outcomes. They travel
 * as strings, so nothing but their place tells that they are texts for people.
 */
const sayers: readonly string[] = [
  'src/core/dispatcher/door/',
  'src/core/dispatcher/fire.ts',
  'src/core/dispatcher/notify/judge.ts',
  'src/core/dispatcher/outbox/restore.ts',
  'src/core/dispatcher/pushes/judge.ts',
  'src/core/dispatcher/pushes/outcomes.ts',
  'src/core/dispatcher/pushes/push.ts',
  'src/core/dispatcher/text/content.ts',
  'src/core/gatekeeper/',
  'src/core/hooks/',
  'src/core/model/approval/source-file.ts',
  'src/core/model/base/pattern.ts',
  'src/core/model/gate/problem.ts',
  'src/core/model/hooks/budget.ts',
  'src/core/model/hooks/fault.ts',
  'src/proposals/',
  'src/handlers/',
  'src/dialects/',
  'src/shared/base/http.ts',
  'src/shared/base/shell-text.ts',
  'src/shared/chat/connection.ts',
  'src/shared/gate/recovery.ts',
  'src/shared/hooks/evidence.ts',
  'src/shared/hooks/guard-words.ts',
  'src/shared/hooks/hook-world.ts',
  'src/shared/hooks/shadow.ts',
  'src/isolation/hook-path.ts',
  'src/isolation/isolation.ts',
  'src/isolation/reading.ts',
  'src/isolation/run-script.ts',
  'src/isolation/sandbox/sandbox.ts',
  'src/isolation/sandbox/strict.ts',
  'src/permissions/',
  'src/compose/commands.ts',
  'src/compose/agents/agents.ts',
  'src/compose/agents/nodes.ts',
  'src/compose/records.ts',
  'src/shared/hooks/failure-brief.ts',
  'src/prompts/overflow.ts',
  'src/bridge/service/service.ts',
  'src/compose/tries/',
  'src/compose/proposal-reader/',
  'src/compose/health/inert.ts',
  'src/doctor/warm-check.ts',
  'src/config/switch-file.ts',
  'src/agents/builtins/builtins.ts',
  'src/agents/builtins/git.ts',
  'src/agents/builtins/snapshot-repository.ts',
  'src/agents/builtins/undo.ts',
  'src/store/sqlite/database.ts',
  'bots/feishu/connect/',
  'bots/feishu/write/',
  'bots/telegram/connect/',
  'bots/telegram/tripwire/',
  'bots/telegram/write/',
  'bots/wechat/connect/',
  'bots/wechat/ilink/',
  'bots/wechat/outcome.ts',
  'bots/wechat/spare.ts',
  'bots/wechat/wechat.ts',
  'bots/wechat/write.ts',
  'bots/wechat/puppet-guard.ts',
  'bots/web/chat.ts',
]

/**
 * What lies there and says nothing in a chat: scripts, tables of words, and what clients, models and the
 * command line read.
 */
const silent: readonly string[] = [
  'src/core/gatekeeper/grants/known-programs.ts',
  'src/core/gatekeeper/ledger/head.ts',
  'src/permissions/ask-form.ts',
  'src/permissions/call.ts',
  'src/dialects/client-write.ts',
  'src/dialects/clients.ts',
  'src/dialects/gates.ts',
  'src/dialects/trial-payload.ts',
  'src/dialects/claude-code/write.ts',
  'src/dialects/responsibleai/bridge.ts',
  'src/handlers/builtins/guard/',
  'src/handlers/builtins/incoming/grammar.ts',
  'src/handlers/builtins/incoming/words/',
  'src/handlers/builtins/redact/personal/',
  'src/handlers/builtins/redact/secrets/',
  'src/handlers/host/git/',
  'src/handlers/host/process.ts',
  'src/handlers/host/spawn/group.ts',
  'src/handlers/host/spawn/hooks-bound.ts',
  'src/handlers/host/spawn/pipes.ts',
  'src/handlers/host/spawn/waiting-shell.ts',
  'src/handlers/observers/backtracking.ts',
  'src/handlers/transports/python.ts',
  'src/proposals/program/shell/shell-commands.ts',
  'src/proposals/sources/schema.ts',
]

type Node = Readonly<Record<string, unknown>>
const root = resolve(import.meta.dirname, '../../..')

const isNode = (value: unknown): value is Node => isObject(value) && typeof value['type'] === 'string'
const nodesOf = (value: unknown): readonly Node[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []

/** What is called with a text that no person reads in a chat. */
const unsaidCalls =
  /(?:^|\.)(?:log|startsWith|endsWith|includes|test|exec|replace|replaceAll|split|indexOf|update|prepare|getFact|setFact|fixed|heading|prose|alarm|guard|write)$/
const unsaidNew = /^(?:Error|TypeError|RangeError|RegExp|Intl\.\w+)$/
/** Here the message of an error becomes a part of a text. */
const throwers = ['src/handlers/transports/connector.ts', 'src/core/gatekeeper/ledger/read.ts']
/** The properties whose texts are for the reference, for clients or for a model. */
const unsaidNames =
  /^(?:does|how|additionalContext|notification_message|tool_result|authorization|title|shown)$/
/** The same in the tables of other systems. */
const unsaidInTables = /^(?:told|nothing)$/
/** The same for variables. Most are scripts for a shell. */
const unsaidVariables =
  /^(?:script|inspect|agentSees|hooksSee|always|firstScript|tryScript|replaceFile|personNotes|log|guard|left|anything)\b/
/** What only a model, a shell, a terminal or another part of hookgate reads. */
const unsaidTexts = new RegExp(
  [
    /^\[hookgate|^refused: it did not|up to the line|^It is no message of your person|^The message of this turn|^The characters that/,
    /^Today's date|The owner's rule|^exec \d|^Scan this code with WeChat to log the bot in/,
    /^(?:file|add) \{0\} \{1\}$|^entry \{0\}$|^the stamps of all files$|^\{0\}: \{1\} open|can't cd to/,
    /\(\?|\{1,|\\d|^\/[a-z]+ [a-z]+$/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
const compares: ReadonlySet<string> = new Set(['===', '!==', 'in', '<', '>', '<=', '>='])

const sourceOf = (text: string, node: unknown): string =>
  isNode(node) ? text.slice(Number(node['start']), Number(node['end'])).replaceAll(/\s+/g, '') : ''

/** The pieces of a text between its values. Undefined: it is no literal. */
const piecesOf = (node: Node): readonly string[] | undefined => {
  if (node['type'] === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : undefined
  if (node['type'] === 'TemplateLiteral')
    return nodesOf(node['quasis']).map(({ value }) =>
      isObject(value) && typeof value['cooked'] === 'string' ? value['cooked'] : '',
    )
  if (node['type'] === 'ParenthesizedExpression' && isNode(node['expression']))
    return piecesOf(node['expression'])
  if (node['type'] !== 'BinaryExpression' || node['operator'] !== '+') return undefined
  const [left, right] = [node['left'], node['right']]
  const [before, after] = [left, right].map((side) => (isNode(side) ? piecesOf(side) : undefined))
  if (before === undefined && after === undefined) return undefined
  const [one, other] = [before ?? ['', ''], after ?? ['', '']]
  return [...one.slice(0, -1), `${one.at(-1) ?? ''}${other[0] ?? ''}`, ...other.slice(1)]
}

/** The expressions inside a text. */
const valuesOf = (node: Node): readonly Node[] => {
  if (node['type'] === 'Literal') return []
  if (node['type'] === 'TemplateLiteral') return nodesOf(node['expressions'])
  if (isNode(node['expression'])) return valuesOf(node['expression'])
  return [node['left'], node['right']]
    .filter(isNode)
    .flatMap((side) => (piecesOf(side) === undefined ? [side] : valuesOf(side)))
}

/** The places of a line begin with {0}. */
const renumbered = (line: string): string => {
  let place = 0
  return line.replaceAll(/\{\d+\}/g, () => `{${place++}}`)
}

const textsIn = (path: string, text: string): readonly Unit[] => {
  const found: Unit[] = []
  const visitAll = (value: unknown): void => {
    for (const node of nodesOf(value)) visit(node)
  }
  /** Goes on below a node whose own literals say nothing. */
  const visitBelow = (value: unknown): void => {
    for (const node of nodesOf(value)) if (piecesOf(node) === undefined) visit(node)
  }
  const visit = (node: Node): void => {
    const type = String(node['type'])
    if (type === 'ImportDeclaration' || type === 'TaggedTemplateExpression')
      return visitAll(isNode(node['quasi']) ? node['quasi']['expressions'] : undefined)
    if (type.startsWith('TS') && !isNode(node['expression'])) return
    const pieces = piecesOf(node)
    if (pieces !== undefined) {
      const at = `${path}:${text.slice(0, Number(node['start'])).split('\n').length}`
      const key = keyOf(pieces)
      // Each line of a reason is read by itself.
      for (const line of new Set([key, ...key.split('\n').map(renumbered)]))
        found.push({ key: line.trim(), at })
      return visitAll(valuesOf(node))
    }
    if (type === 'SwitchCase') return visitAll(node['consequent'])
    if (type === 'BinaryExpression' && compares.has(String(node['operator'])))
      return visitBelow([node['left'], node['right']])
    if (type === 'CallExpression' || type === 'NewExpression') {
      const callee = sourceOf(text, node['callee'])
      // The alternatives of a pattern.
      if (callee.endsWith('].join') && sourceOf(text, nodesOf(node['arguments'])[0]) === "'|'") return
      visitBelow(isNode(node['callee']) ? (node['callee']['object'] ?? node['callee']) : undefined)
      const isUnsaid =
        type === 'CallExpression'
          ? unsaidCalls.test(callee)
          : unsaidNew.test(callee) && !throwers.some((one) => path.startsWith(one))
      return isUnsaid ? visitBelow(node['arguments']) : visitAll(node['arguments'])
    }
    if (type === 'Property') {
      const name = sourceOf(text, node['key']).replaceAll("'", '')
      const isUnsaid =
        unsaidNames.test(name) || (path.startsWith('src/dialects/') && unsaidInTables.test(name))
      return isUnsaid ? undefined : visitAll(node['value'])
    }
    if (type === 'VariableDeclarator' && unsaidVariables.test(sourceOf(text, node['id']))) return
    for (const [name, value] of Object.entries(node)) if (name !== 'property') visitAll(value)
  }
  visit(parseSync(path, text).program as unknown as Node)
  return found
}

/** Words with a blank between them, at least one of small letters. A single word is a code or a name. */
const isText = (key: string): boolean => {
  const words = key.replaceAll(/\{\d+\}/g, ' ').match(/(?<![\w/.$-])[A-Za-z][a-z’']*(?![\w/=(.-]\w)/g) ?? []
  return / /.test(key) && words.some((word) => /^[a-z]/.test(word)) && !unsaidTexts.test(key)
}

/**
 * The texts that our code says in English. `texts`: what has to have a translation. `words`: whatever stands
 * there as a literal, single words too.
 */
export const findSaid = (): { readonly texts: readonly Unit[]; readonly words: readonly Unit[] } => {
  const words = ['src', 'bots']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .filter((path) => path.endsWith('.ts') && !path.includes('/node_modules/'))
    .filter(
      (path) => sayers.some((one) => path.startsWith(one)) && !silent.some((one) => path.startsWith(one)),
    )
    .flatMap((path) => textsIn(path, readFileSync(join(root, path), 'utf8')))
  const types = ['string', 'number', 'boolean', 'object'].map((key) => ({ key, at: 'typeof' }))
  return { texts: words.filter(({ key }) => isText(key)), words: [...words, ...types] }
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(findSaid().texts, null, 1)}\n`)
