import { dirname } from 'node:path'
import type { Matcher } from '../../../core/model/hooks/entry.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { isObject, type Json } from '../../../core/model/base/json.ts'
import { got } from '../../../core/model/gate/problem.ts'
import { readDocument } from './claude-settings.ts'
import { invalid, proposeForeign, unmapped, type ForeignPorts, type ReadForeign } from './foreign.ts'
import { takeOptions } from '../options.ts'
import { maxForeignHooks, type Source, tooMany, wrongFile } from '../source.ts'

/** This module reads Cursor's hooks.json: one flat list of hooks for each event. */
const promptTimeoutMs = 30_000

interface CursorHook {
  readonly event: string
  readonly raw: Json
  readonly place: string
  readonly line: number | undefined
}

/**
 * Cursor's patterns are searched in a tool's name or in the text of a command. Two of its events are only
 * about tools of MCP servers.
 */
const matcherOf = (event: string, text: string | undefined): Matcher | undefined => {
  const pattern = text === undefined || text === '' || text === '*' ? undefined : text
  if (event.endsWith('MCPExecution'))
    return { tool: pattern === undefined ? '^mcp__' : `^mcp__.*(?:${pattern})` }
  if (pattern === undefined) return undefined
  return /^(?:preToolUse|postToolUse|postToolUseFailure|beforeReadFile)$/.test(event)
    ? { tool: pattern }
    : { pattern }
}

const readHook = ({ event, raw, place, line }: CursorHook, ports: ForeignPorts): ProposedHook => {
  const fields = isObject(raw) ? raw : {}
  const shown =
    [fields['command'], fields['prompt']].find((value) => typeof value === 'string') ?? '(no command)'
  const stated = { event, command: shown, origin: place, line }
  if (!isObject(raw))
    return invalid(stated, 'source.shape', `Expected a hook with a command, got ${got(raw)}.`)
  const options = takeOptions(raw)
  const type = options.oneOf('type', ['command', 'prompt']) ?? 'command'
  const [command = '', prompt = '', model, matcher, timeoutMs] = [
    options.text('command'),
    options.text('prompt'),
    options.text('model'),
    options.text('matcher'),
    options.seconds('timeout'),
  ]
  const failsClosed = options.flag('failClosed') === true
  const limit = options.number('loop_limit')
  const flaw = options.flaw()
  if (flaw !== undefined) return invalid(stated, 'source.option', flaw)
  if (/^[A-Z]/.test(event) && !ports.events.cursor.some(({ name }) => name === event)) {
    return unmapped(
      stated,
      `cursor has no event ${got(event)}: its event names begin with a small letter, such as "preToolUse"`,
    )
  }
  const found = matcherOf(event, matcher)
  return proposeForeign(
    {
      ...stated,
      dialect: 'cursor',
      ...(type === 'prompt'
        ? { type: 'llm' as const, command: prompt, model }
        : { type, command, shell: ports.shells.cursor }),
      matcher: found,
      timeoutMs: timeoutMs ?? (type === 'prompt' ? promptTimeoutMs : undefined),
      onError: failsClosed ? 'block' : undefined,
      remarks: [
        ...(limit === undefined
          ? []
          : ['Its "loop_limit" has no effect. The hook can ask for another round at most 3 times a turn.']),
        ...options.unknownRemarks(),
      ],
    },
    ports,
  )
}

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
  if (!isObject(hooks))
    return wrongFile(place, 'shape', `Expected an object with "hooks" in it, got ${got(hooks ?? root)}.`)
  const found = Object.entries(hooks).flatMap(([event, list]): readonly (CursorHook | ProposedHook)[] =>
    Array.isArray(list)
      ? list.map((raw: Json, index): CursorHook => ({
          event,
          raw,
          place,
          line: lineOf(['hooks', event, index]),
        }))
      : [
          invalid(
            { event, command: place, origin: place },
            'source.hooks',
            `Expected "hooks.${event.slice(0, 60)}" to be a list of hooks, got ${got(list)}.`,
          ),
        ],
  )
  if (found.length > maxForeignHooks) return tooMany(place, found.length)
  return { proposed: found.map((one) => ('kind' in one ? one : cwdOf(place, readHook(one, ports)))) }
}
