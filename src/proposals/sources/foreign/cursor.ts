import { dirname } from 'node:path'
import type { Matcher } from '../../../core/model/hooks/entry.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { isObject, type Json } from '../../../core/model/base/json.ts'
import { got } from '../../../core/model/gate/problem.ts'
import { noHooks, readDocument } from './claude-settings.ts'
import {
  listedHooks,
  nativeIn,
  promptTimeoutMs,
  proposeForeign,
  readHook,
  type ForeignHook,
  type ForeignPorts,
  type HookForm,
  type HookPlace,
  type ReadForeign,
} from './foreign.ts'
import { maxForeignHooks, type Source, tooMany } from '../source.ts'

/** This module reads Cursor's hooks.json: one flat list of hooks for each event. */

/**
 * Cursor's patterns are searched in a tool's name or in the text of a command. Two of its events are only
 * about tools of MCP servers.
 */
const matcherOf = (event: string, pattern: string | undefined): Matcher | undefined => {
  if (event.endsWith('MCPExecution'))
    return { tool: pattern === undefined ? '^mcp__' : `^mcp__.*(?:${pattern})` }
  if (pattern === undefined) return undefined
  return /^(?:preToolUse|postToolUse|postToolUseFailure|beforeReadFile)$/.test(event)
    ? { tool: pattern }
    : { pattern }
}

const form: HookForm = { shown: ['command', 'prompt'], expected: 'a hook with a command' }

const hookOf = (raw: Json, place: HookPlace, ports: ForeignPorts): ForeignHook | ProposedHook =>
  readHook(raw, place, form, (options) => {
    const { event } = place
    const type = options.oneOf('type', ['command', 'prompt']) ?? 'command'
    const { command = '', prompt = '', model } = options.words('command', 'prompt', 'model')
    const [pattern, timeoutMs] = [options.matcher(), options.seconds('timeout')]
    const failsClosed = options.flag('failClosed')
    const limit = options.number('loop_limit')
    if (/^[A-Z]/.test(event) && nativeIn(ports, 'cursor', event) === undefined)
      return {
        why: `cursor has no event ${got(event)}: its event names begin with a small letter, such as "preToolUse"`,
      }
    return {
      dialect: 'cursor',
      ...(type === 'prompt'
        ? { type: 'llm' as const, command: prompt, model }
        : { type, command, shell: ports.dialects.cursor.shell }),
      matcher: matcherOf(event, pattern),
      timeoutMs: timeoutMs ?? (type === 'prompt' ? promptTimeoutMs : undefined),
      onError: failsClosed ? 'block' : undefined,
      remarks: [
        limit !== undefined &&
          'Its "loop_limit" has no effect. The hook can ask for another round at most 3 times a turn.',
      ],
    }
  })

/**
 * Adds a remark when Cursor would use another folder: it runs a project's hooks in the project, and a
 * person's own hooks in `~/.cursor`.
 */
const cwdOf = (place: string, proposed: ProposedHook): ProposedHook => {
  if (proposed.kind === 'invalid' || !place.startsWith('/') || proposed.entry.type !== 'command')
    return proposed
  return {
    ...proposed,
    remarks: [
      ...(proposed.remarks ?? []),
      `Cursor runs it in ${dirname(place)}. hookgate runs it in the workspace.`,
    ],
  }
}

export const readCursor: ReadForeign = (place, ports): Source => {
  const document = readDocument(place, ports)
  if ('problem' in document) return document
  const { root, lineOf } = document
  const hooks = isObject(root) ? root['hooks'] : undefined
  if (!isObject(hooks)) return noHooks(place, hooks ?? root)
  const found = listedHooks(hooks, place, (event, raw, index) =>
    hookOf(raw, { event, origin: place, line: lineOf(['hooks', event, index]) }, ports),
  )
  return found.length > maxForeignHooks
    ? tooMany(place, found.length)
    : { proposed: found.map((read) => cwdOf(place, proposeForeign(read(), ports))) }
}
