import { basename, join } from 'node:path'
import { quote } from 'shlex'
import type { Matcher } from '../../../core/model/hooks/entry.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { isObject, type Json, type JsonObject } from '../../../core/model/base/json.ts'
import { nearest } from '../../../shared/base/nearest.ts'
import { nearestFix } from '../../entry/entry-check.ts'
import { got, type Problem } from '../../../core/model/gate/problem.ts'
import { invalid, proposeForeign, type ForeignPorts, type ReadForeign, type Remarks } from './foreign.ts'
import { isAll, takeOptions } from '../options.ts'
import { unreadable } from '../source.ts'
import { readYaml, type ReadDocument } from '../yaml.ts'

/**
 * This module reads a folder of hooks in the form of the Agent Hooks specification: each hook is a folder
 * with a HOOK.md and a script.
 */
const maxHooks = 200
const maxChars = 64 * 1024
/** The names of the script, in order of preference. */
const scripts = ['run', 'run.sh', 'run.py']
const file = 'HOOK.md'

const options = ['name', 'description', 'trigger', 'matcher', 'timeout', 'async', 'priority', 'metadata']
const matcherOptions = ['tool', 'pattern']

type HookFlaw = Pick<Problem, 'code' | 'message' | 'line'> & { readonly fix?: string }
const flawOf = (
  code: string,
  message: string,
  rest: Partial<Pick<HookFlaw, 'fix' | 'line'>> = {},
): HookFlaw => ({ code, message, ...rest })

/**
 * Returns the text between the first line, `---`, and the next line that is exactly `---`. A value may
 * contain that text within a line.
 */
const frontmatterOf = (text: string): { readonly yaml: string } | HookFlaw => {
  const code = 'source.frontmatter'
  if (text.includes('\0')) return flawOf('source.text', 'Expected text, got binary data.')
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines[0] !== '---')
    return flawOf(code, `Expected the first line to be "---", got ${got(lines[0])}.`, { line: 1 })
  const end = lines.indexOf('---', 1)
  return end < 0
    ? flawOf(code, 'Expected a line "---" after the options, got none.', { line: lines.length })
    : { yaml: lines.slice(1, end).join('\n') }
}

/**
 * Doubles the backslashes that YAML would refuse. The specification itself writes `"\.py$"`, which is not
 * valid YAML.
 */
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
  const readOptions = { file: origin, maxChars, firstLine: 2 }
  const read = readYaml(yaml, readOptions)
  if (!('problem' in read)) return { ...read, remarks: [] }
  const corrected = read.problem.message.includes('escape sequence')
    ? readYaml(withPlainBackslashes(yaml), readOptions)
    : read
  return 'problem' in corrected
    ? read
    : {
        ...corrected,
        remarks: [
          'Some backslashes in its double quotes are not valid YAML. They are read literally. Use single quotes instead.',
        ],
      }
}

const wrongKey = (raw: JsonObject, known: readonly string[], what: string): HookFlaw | undefined => {
  const key = Object.keys(raw).find((one) => !known.includes(one))
  if (key === undefined) return undefined
  const message = `Expected ${what} to have only ${known.join(', ')}, got ${got(key.slice(0, 60))}.`
  return flawOf('source.option', message, { fix: nearestFix(key, known) })
}

const quoted = (name: string): string => got(name).replace(' (string)', '')

const nameRemark = (name: string, folder: string): string | false =>
  name !== folder && `Its "name" is ${quoted(name)}, but its folder is named ${quoted(folder)}.`

const matcherFlaw = (matcher: Json | undefined): HookFlaw | undefined => {
  const code = 'entry.matcher'
  if (matcher === undefined || matcher === null) return undefined
  if (!isObject(matcher))
    return flawOf(code, `Expected "matcher" to be {tool, pattern}, got ${got(matcher)}.`)
  const flaw = wrongKey(matcher, matcherOptions, '"matcher"')
  if (flaw !== undefined) return flaw
  for (const [key, value] of Object.entries(matcher)) {
    const expected = `Expected "matcher.${key}" to be a regular expression`
    if (value !== null && typeof value !== 'string') return flawOf(code, `${expected}, got ${got(value)}.`)
    // A typing error must not disable a guard. No tool name or argument contains a control character.
    if (/[\0-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value ?? ''))
      return flawOf(code, `${expected}, but YAML turned a backslash and a letter into a control character.`, {
        fix: 'Write it in single quotes.',
      })
  }
  return undefined
}

/** Both patterns have to match. `proposeForeign` sets the field in which the pattern is searched. */
const matcherOf = (raw: Json | undefined): Matcher | undefined => {
  const partOf = (value: Json | undefined): string | undefined =>
    typeof value === 'string' && !isAll(value) ? value : undefined
  const { tool, pattern } = isObject(raw) ? raw : {}
  const matcher = { tool: partOf(tool), pattern: partOf(pattern) }
  return matcher.tool === undefined && matcher.pattern === undefined ? undefined : matcher
}

/** Finds the program of a hook. It is executed directly, so its first line names the interpreter. */
const scriptOf = (
  dir: string,
  { list, isExecutable }: ForeignPorts,
): { readonly script: string } | HookFlaw => {
  const code = 'source.script'
  const listed = list(join(dir, 'scripts'))
  const name = 'names' in listed ? scripts.find((one) => listed.names.includes(one)) : undefined
  if (name === undefined) {
    const names = scripts.map((one) => `scripts/${one}`).join(', ')
    const fix = `Write ${join(dir, 'scripts', 'run.sh')}.`
    return flawOf(code, `Expected one of ${names} beside ${file}, got none.`, { fix })
  }
  const script = join(dir, 'scripts', name)
  if (isExecutable(script)) return { script }
  const fix = `Run chmod +x ${quote(script)}.`
  return flawOf(code, `Expected scripts/${name} to be executable, but it is not.`, { fix })
}

/**
 * Recognises a hook of OpenClaw, which uses the same file name. Its hook is a module that only OpenClaw can
 * load.
 */
const handlerFlaw = (dir: string, { list }: ForeignPorts): HookFlaw | undefined => {
  const listed = list(dir)
  const handler =
    'names' in listed && !listed.names.includes('scripts/')
      ? listed.names.find((name) => /^(?:handler|index)\.[cm]?[jt]s$/.test(name))
      : undefined
  return handler === undefined
    ? undefined
    : flawOf(
        'source.handler',
        `Expected a program that can be started, but ${handler} is a module that only OpenClaw can load.`,
        { fix: `Write the hook as ${join(dir, 'scripts', 'run.sh')} and add "trigger" to ${file}.` },
      )
}

const maxFiles = 50
const maxFolders = 50

/**
 * Lists the other files of a hook's folder. They are sealed with its script, which may read any of them. The
 * list is bounded, and remarks name what is left out.
 */
const siblingsOf = (
  dir: string,
  script: string,
  { list }: Pick<ForeignPorts, 'list'>,
): { readonly files: readonly string[]; readonly remarks: Remarks } => {
  const files: string[] = []
  const unread: string[] = []
  const folders = [dir]
  // The list grows during the loop. The loop ends, because links count as files and each folder is entered
  // once.
  for (const [index, folder] of folders.entries()) {
    if (index >= maxFolders || files.length > maxFiles) break
    const listed = list(folder)
    if ('why' in listed) {
      unread.push(`${folder} is ${listed.why}`)
      continue
    }
    for (const name of listed.names) {
      const path = join(folder, name)
      if (name.endsWith('/')) folders.push(path.replace(/\/$/, ''))
      else if (path !== script) files.push(path)
    }
  }
  const isCut = files.length > maxFiles || folders.length > maxFolders
  return {
    files: files.slice(0, maxFiles),
    remarks: [
      isCut &&
        `Its folder holds more than ${maxFiles} files or folders. Only the first ${Math.min(files.length, maxFiles)} files are sealed with it.`,
      ...unread.slice(0, 3).map((why) => `${why}, so nothing in it is sealed.`),
    ],
  }
}

const readHook = (dir: string, folder: string, ports: ForeignPorts): ProposedHook => {
  const origin = join(dir, file)
  const wrong = ({ code, message, fix, line }: HookFlaw, event = '(no trigger)'): ProposedHook =>
    invalid({ event, command: dir, origin, line }, code, message, fix)
  const read = ports.read(origin)
  if ('why' in read)
    return wrong(flawOf('source.unreadable', `Expected a readable file, but it is ${read.why}.`))
  if (read.text.length > maxChars) {
    const message = `Expected a file of at most ${maxChars} characters, got ${read.text.length}.`
    return wrong(flawOf('source.size', message))
  }
  const front = frontmatterOf(read.text)
  if ('code' in front) return wrong(front)
  const document = readFrontmatter(front.yaml, origin)
  if ('problem' in document)
    return { kind: 'invalid', event: '(no trigger)', command: dir, problem: document.problem }
  const { root, lineOf } = document
  if (!isObject(root)) {
    const message = `Expected options such as "name: …", got ${got(root)}.`
    return wrong(flawOf('source.frontmatter', message, { line: 2 }))
  }

  const taken = takeOptions(root)
  taken.skip('metadata', 'matcher')
  const { name, description, trigger } = taken.words('name', 'description', 'trigger')
  const title = name?.normalize('NFKC')
  const [timeoutMs, isAsync, priority] = [
    taken.number('timeout'),
    taken.flag('async'),
    taken.number('priority'),
  ]
  const must = (key: string, what: string, value: unknown, isFit: boolean): HookFlaw | undefined =>
    isFit
      ? undefined
      : flawOf(`source.${key}`, `Expected "${key}" to be ${what}, got ${got(value)}.`, {
          line: lineOf([key]),
        })
  const flaw = taken.flaw()
  // A mistyped option would be ignored, so it is a flaw. Other keys belong to other tools and are allowed.
  const mistyped = Object.fromEntries(
    Object.entries(root).filter(
      ([key]) => options.includes(key) || nearest(key.slice(0, 40), options) !== undefined,
    ),
  )
  const flawed =
    handlerFlaw(dir, ports) ??
    wrongKey(mistyped, options, 'it') ??
    (flaw === undefined ? undefined : flawOf('source.option', flaw)) ??
    // The specification demands no more of a name, and its own example has another name than its folder's.
    must(
      'name',
      'a text of 1 to 64 characters',
      title,
      title !== undefined && title.length <= 64 && /^[^\p{Cc}]*\S[^\p{Cc}]*$/u.test(title),
    ) ??
    must(
      'description',
      'a text of 1 to 1024 characters',
      description,
      description !== undefined && description.length > 0 && description.length <= 1024,
    ) ??
    must('trigger', 'the name of an event', trigger, trigger !== undefined) ??
    must(
      'priority',
      'a whole number from 0 to 1000',
      priority,
      priority === undefined || (Number.isInteger(priority) && priority >= 0 && priority <= 1000),
    ) ??
    matcherFlaw(root['matcher'])
  if (flawed !== undefined || trigger === undefined)
    return wrong(flawed ?? flawOf('source.trigger', 'Expected "trigger".'), trigger)
  const program = scriptOf(dir, ports)
  if ('code' in program) return wrong(program, trigger)

  const { files, remarks } = siblingsOf(dir, program.script, ports)
  return proposeForeign(
    {
      dialect: 'agent-hooks',
      event: trigger,
      command: quote(program.script),
      origin,
      files,
      // Without `cwd` the hook runs in the workspace. The specification's examples run `npm test` there.
      matcher: matcherOf(root['matcher']),
      timeoutMs,
      priority,
      isAsync,
      description,
      name: title,
      line: lineOf(['trigger']),
      remarks: [
        nameRemark(title ?? '', folder.normalize('NFKC')),
        ...document.remarks,
        ...taken.unknownRemarks(),
        ...remarks,
      ],
    },
    ports,
  )
}

/**
 * Reads a folder of hooks, or the folder of one hook. A folder without a file named exactly HOOK.md is not a
 * hook.
 */
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
              `Expected at most ${maxHooks} hooks, got ${folders.length}. The last ${rest} are not listed.`,
              'Propose fewer hooks. Approved hooks stay in force.',
            ),
          ]
        : []),
    ],
  }
}
