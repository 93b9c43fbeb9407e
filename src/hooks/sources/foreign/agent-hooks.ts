import { basename, join } from 'node:path'
import { quote } from 'shlex'
import type { Matcher, ProposedHook } from '../../../model/hooks/entry.ts'
import { isObject, type Json, type JsonObject } from '../../../model/base/json.ts'
import { nearest } from '../../../model/base/nearest.ts'
import { got, type Problem } from '../../../model/gate/problem.ts'
import { siblingsOf } from './siblings.ts'
import { invalid, proposeForeign, type ForeignPorts, type ReadForeign } from './foreign.ts'
import { takeOptions } from '../options.ts'
import { unreadable } from '../source.ts'
import { readYaml, type ReadDocument } from '../yaml.ts'

/** A folder of hooks as the Agent Hooks specification has it: each is a folder with a HOOK.md and a script. */

const maxHooks = 200
const maxChars = 64 * 1024
/** In this order. */
const scripts = ['run', 'run.sh', 'run.py']
const file = 'HOOK.md'

const options = ['name', 'description', 'trigger', 'matcher', 'timeout', 'async', 'priority', 'metadata']
const matcherOptions = ['tool', 'pattern']
const mend = 'Mend it in its file.'

interface Wrong {
  readonly code: string
  readonly message: string
  readonly fix?: string
  readonly line?: number
}

/** What stands between the first line, `---`, and the next line that is exactly that: a value may hold one too. */
const frontmatterOf = (text: string): { readonly yaml: string } | Wrong => {
  if (text.includes('\0')) return { code: 'source.text', message: 'Expected text, got bytes that are none.' }
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines[0] !== '---')
    return {
      code: 'source.frontmatter',
      message: `Expected the first line to be "---", got ${got(lines[0])}.`,
      line: 1,
    }
  const end = lines.indexOf('---', 1)
  if (end < 0)
    return {
      code: 'source.frontmatter',
      message: 'Expected a line "---" after the options, got none.',
      line: lines.length,
    }
  return { yaml: lines.slice(1, end).join('\n') }
}

/** `"\.py$"` is no YAML, though the specification itself writes so: a backslash there that YAML has no use for is meant. */
const withPlainBackslashes = (yaml: string): string =>
  yaml.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, (text) =>
    text.replaceAll(/\\(.)/g, (pair, next: string) =>
      /[0abtnvfre "/\\N_LPxuU]/.test(next) ? pair : `\\${pair}`,
    ),
  )

const readFrontmatter = (
  yaml: string,
  origin: string,
): (ReadDocument & { readonly remarks: readonly string[] }) | { readonly problem: Problem } => {
  const said = { file: origin, maxChars, firstLine: 2 }
  const read = readYaml(yaml, said)
  if (!('problem' in read)) return { ...read, remarks: [] }
  const mended = read.problem.message.includes('escape sequence')
    ? readYaml(withPlainBackslashes(yaml), said)
    : read
  return 'problem' in mended
    ? read
    : {
        ...mended,
        remarks: [
          'Backslashes in its double quotes are no YAML; they are read as they stand. Single quotes say so.',
        ],
      }
}

const wrongKey = (raw: JsonObject, known: readonly string[], what: string): Wrong | undefined => {
  const key = Object.keys(raw).find((one) => !known.includes(one))
  if (key === undefined) return undefined
  const meant = nearest(key.slice(0, 40), known)
  return {
    code: 'source.option',
    message: `Expected ${what} to have only ${known.join(', ')}, got ${got(key.slice(0, 60))}.`,
    fix: meant === undefined ? 'Remove it.' : `Did you mean "${meant}"?`,
  }
}

/** The specification says no more of a name; its own example has another one than its folder. */
const nameFlaw = (name: string | undefined): string | undefined =>
  name !== undefined && name.length <= 64 && /^[^\p{Cc}]*\S[^\p{Cc}]*$/u.test(name)
    ? undefined
    : `Expected "name" to be a text of 1 to 64 characters, got ${got(name)}.`

const nameRemarks = (name: string, folder: string): readonly string[] =>
  name === folder
    ? []
    : [`Its "name" is ${got(name)}, and its folder's is ${got(folder)}.`.replaceAll(' (string)', '')]

const matcherFlaw = (matcher: Json | undefined): Wrong | undefined => {
  const code = 'entry.matcher'
  if (matcher === undefined || matcher === null) return undefined
  if (!isObject(matcher))
    return { code, message: `Expected "matcher" to be {tool, pattern}, got ${got(matcher)}.` }
  const strange = wrongKey(matcher, matcherOptions, '"matcher"')
  if (strange !== undefined) return strange
  for (const [key, value] of Object.entries(matcher)) {
    if (value !== null && typeof value !== 'string')
      return { code, message: `Expected "matcher.${key}" to be a regular expression, got ${got(value)}.` }
    // A guard must not be silenced by a typo: no tool's name or argument is meant to hold one.
    if (/[\0-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value ?? ''))
      return {
        code,
        message: `Expected "matcher.${key}" to be a regular expression, but YAML turned a backslash and a letter of it into a control character.`,
        fix: 'Put it in single quotes.',
      }
  }
  return undefined
}

const isAll = (pattern: Json | undefined): boolean =>
  pattern === undefined || pattern === null || pattern === '' || pattern === '*'

/** Both have to match; `proposeForeign` says where the pattern is searched. */
const matcherOf = (raw: Json | undefined): Matcher | undefined => {
  const { tool, pattern } = isObject(raw) ? raw : {}
  const matcher = {
    ...(typeof tool === 'string' && !isAll(tool) ? { tool } : {}),
    ...(typeof pattern === 'string' && !isAll(pattern) ? { pattern } : {}),
  }
  return Object.keys(matcher).length === 0 ? undefined : matcher
}

/** The program of a hook: executed as it is, so that its first line says by what. */
const scriptOf = (dir: string, { list, isExecutable }: ForeignPorts): { readonly script: string } | Wrong => {
  const listed = list(join(dir, 'scripts'))
  const name = 'names' in listed ? scripts.find((one) => listed.names.includes(one)) : undefined
  if (name === undefined)
    return {
      code: 'source.script',
      message: `Expected one of ${scripts.map((one) => `scripts/${one}`).join(', ')} beside ${file}, got none.`,
      fix: `Write ${join(dir, 'scripts', 'run.sh')}.`,
    }
  const script = join(dir, 'scripts', name)
  return isExecutable(script)
    ? { script }
    : {
        code: 'source.script',
        message: `Expected scripts/${name} to be a program that can be executed, got one that is not.`,
        fix: `Run chmod +x ${quote(script)}.`,
      }
}

/** OpenClaw has files of this name too; theirs stand beside a module that only its own program can load. */
const handlerFlaw = (dir: string, { list }: ForeignPorts): Wrong | undefined => {
  const listed = list(dir)
  const handler =
    'names' in listed && !listed.names.includes('scripts/')
      ? listed.names.find((name) => /^(?:handler|index)\.[cm]?[jt]s$/.test(name))
      : undefined
  if (handler === undefined) return undefined
  return {
    code: 'source.handler',
    message: `Expected a program that can be started, but its ${handler} is a module for OpenClaw, which loads it into itself; it cannot run here.`,
    fix: `Write what it does as ${join(dir, 'scripts', 'run.sh')} and name its "trigger".`,
  }
}

const readHook = (dir: string, folder: string, ports: ForeignPorts): ProposedHook => {
  const origin = join(dir, file)
  const wrong = ({ code, message, fix = mend, line }: Wrong, event = '(no trigger)'): ProposedHook =>
    invalid({ event, command: dir, origin, ...(line === undefined ? {} : { line }) }, code, message, fix)
  const read = ports.read(origin)
  if ('why' in read)
    return wrong({ code: 'source.unreadable', message: `Expected a readable file, but it is ${read.why}.` })
  if (read.text.length > maxChars)
    return wrong({
      code: 'source.size',
      message: `Expected a file of at most ${maxChars} characters, got ${read.text.length}.`,
    })
  const front = frontmatterOf(read.text)
  if ('code' in front) return wrong(front)
  const document = readFrontmatter(front.yaml, origin)
  if ('problem' in document)
    return { kind: 'invalid', event: '(no trigger)', command: dir, problem: document.problem }
  const { root, lineOf } = document
  if (!isObject(root))
    return wrong({
      code: 'source.frontmatter',
      message: `Expected options such as "name: …", got ${got(root)}.`,
      line: 2,
    })

  const taken = takeOptions(root)
  taken.skip('metadata', 'matcher')
  const [said, description, trigger, timeout, isAsync, priority] = [
    taken.text('name')?.normalize('NFKC'),
    taken.text('description'),
    taken.text('trigger'),
    taken.number('timeout'),
    taken.flag('async'),
    taken.number('priority'),
  ]
  const at = (key: string, message: string | undefined): Wrong | undefined => {
    const line = lineOf([key])
    return message === undefined
      ? undefined
      : { code: `source.${key}`, message, ...(line === undefined ? {} : { line }) }
  }
  const flaw = taken.flaw()
  // A key that is one of ours mistyped would be missed; what somebody else's tools keep there is not ours.
  const mistyped = Object.fromEntries(
    Object.entries(root).filter(
      ([key]) => options.includes(key) || nearest(key.slice(0, 40), options) !== undefined,
    ),
  )
  const flawed =
    handlerFlaw(dir, ports) ??
    wrongKey(mistyped, options, 'it') ??
    (flaw === undefined ? undefined : { code: 'source.option', message: flaw }) ??
    at('name', nameFlaw(said)) ??
    at(
      'description',
      description !== undefined && description.length > 0 && description.length <= 1024
        ? undefined
        : `Expected "description" to be a text of 1 to 1024 characters, got ${got(description)}.`,
    ) ??
    at(
      'trigger',
      trigger === undefined ? 'Expected "trigger" to be the name of an event, got nothing.' : undefined,
    ) ??
    at(
      'priority',
      priority === undefined || (Number.isInteger(priority) && priority >= 0 && priority <= 1000)
        ? undefined
        : `Expected "priority" to be a whole number from 0 to 1000, got ${got(priority)}.`,
    ) ??
    matcherFlaw(root['matcher'])
  if (flawed !== undefined || trigger === undefined)
    return wrong(flawed ?? { code: 'source.trigger', message: 'Expected "trigger".' }, trigger)
  const program = scriptOf(dir, ports)
  if ('code' in program) return wrong(program, trigger)

  const { files, remarks } = siblingsOf(dir, program.script, ports)
  const line = lineOf(['trigger'])
  const matcher = matcherOf(root['matcher'])
  return proposeForeign(
    {
      dialect: 'agent-hooks',
      event: trigger,
      command: quote(program.script),
      origin,
      files,
      // No `cwd`: it runs in the workspace. The specification's own examples run `npm test` there.
      ...(matcher === undefined ? {} : { matcher }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(priority === undefined ? {} : { priority }),
      ...(isAsync === undefined ? {} : { isAsync }),
      ...(description === undefined ? {} : { description }),
      ...(said === undefined ? {} : { name: said }),
      ...(line === undefined ? {} : { line }),
      remarks: [
        ...nameRemarks(said ?? '', folder.normalize('NFKC')),
        ...document.remarks,
        ...taken.strangers(),
        ...remarks,
      ],
    },
    ports,
  )
}

/** Reads a folder of hooks, or one hook's folder. A folder without a HOOK.md, by exactly this name, is none of a hook. */
export const readAgentHooks: ReadForeign = (place, ports) => {
  const listed = ports.list(place)
  if ('why' in listed) return unreadable(place, listed.why, 'folder')
  if (listed.names.includes(file)) return { proposed: [readHook(place, basename(place), ports)] }
  const folders = listed.names
    .filter((name) => name.endsWith('/'))
    .map((name) => name.slice(0, -1))
    .filter((name) => {
      const inside = ports.list(join(place, name))
      return 'names' in inside && inside.names.includes(file)
    })
  const rest = folders.length - maxHooks
  return {
    proposed: [
      ...folders.slice(0, maxHooks).map((name) => readHook(join(place, name), name, ports)),
      ...(rest > 0
        ? [
            invalid(
              { event: 'agent-hooks', command: place, origin: place },
              'source.size',
              `Expected at most ${maxHooks} hooks, got ${folders.length}; the last ${rest} are not listed.`,
              'Propose fewer; what was approved stays in force.',
            ),
          ]
        : []),
    ],
  }
}
