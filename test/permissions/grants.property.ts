import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandPattern, exactShape, patternShape } from '../../src/commands/cards/calls/shapes.ts'
import { coverOf, knownCommands } from '../../src/core/gatekeeper/grants/pattern-cover.ts'
import { canonicalJson } from '../../src/core/model/approval/canonical.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { Grant } from '../../src/core/model/gate/grant.ts'
import { createGrants, type GrantableCall } from '../../src/permissions/grants.ts'

const pieces = [
  'git',
  'log',
  'status',
  'npm',
  'run',
  'test',
  '-c',
  '--output=x',
  '-5',
  'src/a.ts',
  'A=1',
  ' ',
  '  ',
  ';',
  '&&',
  '|',
  '>',
  '<',
  '$(x)',
  '`x`',
  '\n',
  '\t',
  '"',
  "'",
  '\\',
  '*',
  '#',
  '..',
  '…',
  '\u2028',
  '${x}',
  '(',
  ')',
  '!',
  '~',
]

const command = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('git log', 'git log -5', 'git status', 'npm run test') },
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((words) => words.join(' ')),
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((words) => words.join('')),
  fc.string({ maxLength: 12, unit: 'binary' }),
)

const input = fc.record(
  {
    command,
    description: fc.constantFrom<JsonObject[string]>('Looks', '', 5, { a: 1 }),
    sandbox: fc.boolean(),
  },
  { requiredKeys: ['command'] },
) as fc.Arbitrary<JsonObject>

const call = fc.record({
  agent_id: fc.constantFrom('main', 'other'),
  tool_name: fc.constantFrom('bash', 'Bash'),
  cwd: fc.constantFrom('/w', '/x'),
  tool_input: input,
  units: fc.constant(100),
})

const ports = {
  canonical: canonicalJson,
  isKnownCommand: (line: string) => knownCommands(line) !== undefined,
}

const commandOf = ({ command }: JsonObject): string => (typeof command === 'string' ? command : '')

/** A call, and one that differs from it in a few things or in none. */
const near = fc
  .tuple(
    call,
    // Mostly the same: a call differs in one thing alone where that shows whether the thing counts.
    fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      fc.record(
        {
          agent_id: fc.constantFrom('main', 'other'),
          tool_name: fc.constantFrom('bash', 'Bash'),
          cwd: fc.constant('/x'),
        },
        { requiredKeys: [] },
      ),
    ),
    // Mostly none: hardly any other command is covered.
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      fc.constantFrom(...pieces.map((piece) => ` ${piece}`), ...pieces),
    ),
    fc.option(input),
  )
  .map(([given, other, tail, otherInput]) => {
    const tool_input = {
      ...given.tool_input,
      ...otherInput,
      command: `${commandOf(given.tool_input)}${tail}`,
    }
    return [given, { ...given, ...other, tool_input }] as const
  })

const isCovered = async (grant: Grant, asked: GrantableCall): Promise<boolean> => {
  const grants = createGrants({
    grants: () => [grant],
    isOwner: () => true,
    canonical: canonicalJson,
    coverOf,
    isSealed: () => true,
    recallUses: () => Promise.resolve(undefined),
    rememberUses: () => Promise.resolve(),
    now: () => 1,
  })
  return (await grants.take(asked, undefined)) !== undefined
}

test('a grant never covers what it should not: another agent, tool, folder or argument, or an operator', async () => {
  await fc.assert(
    fc.asyncProperty(near, fc.boolean(), async ([given, asked], isPattern) => {
      const shape = isPattern ? patternShape(given, ports) : exactShape(given)
      if (shape === undefined) return
      const { agent_id: agent, tool_name: tool, cwd } = given
      const grant = { id: 'g', agent, tool, cwd, shape, untilMs: 2, by: 'x', at: new Date(0).toISOString() }
      expect(await isCovered(grant, given)).toBe(true)
      if (!(await isCovered(grant, asked))) return
      expect([asked.agent_id, asked.tool_name, asked.cwd]).toEqual([agent, tool, cwd])
      const [before, now]: readonly JsonObject[] = [given.tool_input, asked.tool_input]
      if (before === undefined || now === undefined) return
      if (!isPattern) {
        expect(canonicalJson(now)).toBe(canonicalJson(before))
        return
      }
      // Every other argument is the same, but for the description in words.
      expect(now['sandbox']).toBe(before['sandbox'])
      const isFree = typeof now['description'] !== 'object'
      if (!isFree) expect(now['description']).toEqual(before['description'])
      const [was, is] = [commandOf(before), commandOf(now)]
      const [program, second] = was.split(' ')
      for (const one of knownCommands(is) ?? []) expect(one.split(' ').slice(0, 2)).toEqual([program, second])
      expect(is).not.toMatch(/[<>$`()\\*#"'!~]|[^&]&[^&]|--output|A=1 git/)
    }),
    { numRuns: 500 },
  )
})

test('a pattern is derived only of a command without an operator', () => {
  fc.assert(
    fc.property(command, (text) => {
      if (commandPattern(text) !== undefined) expect(text).toMatch(/^[\w./:=@%+,-]+( [\w./:=@%+,-]+)+$/)
    }),
  )
})
