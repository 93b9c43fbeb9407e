import { oneOf } from '../patterns.ts'
import { inQuotes } from '../../../shared/base/shell.ts'
import { isObject, type Json, type JsonObject } from '../../../core/model/base/json.ts'
import { deleteFiles, patchFiles, readFiles, writeFiles } from './files.ts'
import { type State, TooMuchError } from './machine.ts'
import { isProgram } from './tools/other.ts'
import { literal, open, type Value } from './reading/value.ts'

const shellTool = new RegExp(
  `^${oneOf`
    bash sh shell zsh terminal exec exec_command execute(?:_command)? local_shell command process
    run_?(?:command|terminal_cmd|shell_command|in_terminal|bash)? cmd powershell pwsh
  `}$`,
)

const commandField = /^(?:commands?|cmd|script|shell|command_?line|bash|chars|keys|run)$/i

const programField = /^(?:command|cmd|program|executable)$/i

const argsField = /^(?:args?|arguments|argv)$/i

const languageField = /^(?:language|lang|runtime)$/i

const actionField = /^(?:action|operation)$/i

const pathField = new RegExp(
  `^${oneOf`
    paths? files? file_?paths? filepath filename target_?file absolute_?path relative_?path notebook_path
    uri src source dest(?:ination)? target from to old_path new_path dir directory folder root cwd_path
  `}$`,
  'i',
)

const contentField = new RegExp(
  `^${oneOf`
    contents? text new_?(?:string|str|text|source|content) file_text insert_text data body replacement
    code_edit updated_input
  `}$`,
  'i',
)

const sqlField = /^(?:sql|query|statement|statements|pipeline|aql|cypher)$/i

/** The words of a name such as `mcp__db__drop_table` or `deleteRepo`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .slice(-256)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')

const writingWords = new RegExp(
  `^${oneOf`
    write edit create update patch replace insert append save put set move rename copy str multi notebook
    apply modify overwrite
  `}$`,
)

const readingWords =
  /^(?:read|get|view|cat|open|show|fetch|load|download|search|grep|list|glob|find|head|tail|describe)$/

const deletingWords = new RegExp(
  `^${oneOf`
    delete remove drop destroy purge truncate wipe erase terminate uninstall flush clear reset revoke
    unpublish empty kill shutdown
  `}$`,
)

const graveWords = new RegExp(
  `^${oneOf`
    database table schema collection index bucket object repo repository repositorie branch tag volume disk
    cluster namespace pod deployment project instance vm server stack user account member organi[sz]ation
    team key secret token file folder directory directorie record row item document page message email mail
    thread channel event calendar contact domain zone dns function app application site service container
    image network snapshot backup release package issue all data storage cache queue topic stream workspace
    environment subscription customer order invoice payment card board list note entity entitie relation
    observation node graph trash
  `}(?:e?s)?$`,
)

interface Leaf {
  readonly key: string
  readonly text: string
}

const maxLeaves = 4000

const maxDepth = 16

/** The texts in a value with the names of their fields. */
const leavesOf = (value: Json, key = '', found: Leaf[] = [], depth = 0): readonly Leaf[] => {
  if (found.length >= maxLeaves || depth > maxDepth) throw new TooMuchError()
  if (typeof value === 'string') found.push({ key, text: value })
  else if (Array.isArray(value)) for (const item of value) leavesOf(item, key, found, depth + 1)
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) leavesOf(inner, name, found, depth + 1)
  return found
}

/** The words of a program as a line of a shell. A text is a line already. */
const lineOf = (words: Json | undefined): string =>
  Array.isArray(words)
    ? words.map((word) => (typeof word === 'string' ? inQuotes(word) : '')).join(' ')
    : typeof words === 'string'
      ? words
      : ''

/** A line, or the rest of a cell, that a notebook gives to a shell. */
const shellOfNotebook = /^[ \t]{0,16}(?:!(.+)|%%(?:ba)?sh\b.*\n([^]*))/gm

/** Judges the call of any tool by what its name and its fields say. */
export const judgeTool = (tool: string, input: JsonObject, state: State): void => {
  const { machine } = state
  const run = (text: string): unknown => machine.runText(text, state)
  const name = tool.replace(/^mcp__/, '')
  const words = wordsOf(name)
  const last = name.toLowerCase().replace(/^.*(?:__|\.|\/)/, '')
  const isShell = shellTool.test(last)
  const fields = Object.entries(input)
  const started = fields.find(([key]) => programField.test(key))
  const given = fields.find(([key, value]) => argsField.test(key) && lineOf(value) !== '')
  // Codex and others give the words of a program.
  const named = words.find((word) => isProgram(word) && !shellTool.test(word))
  const program = started?.[1] ?? named ?? (isShell ? '' : undefined)
  const isInWords = Array.isArray(program) || (given !== undefined && typeof program === 'string')
  if (isInWords) {
    const [first, patch] = Array.isArray(program) ? program : []
    machine.part = [program, given?.[1] ?? []].flat(2).join(' ').slice(0, 160)
    if (first === 'apply_patch') patchFiles(state, String(patch ?? ''))
    else run(`${lineOf(program)} ${lineOf(given?.[1])}`)
  }
  const leaves = leavesOf(
    Object.fromEntries(fields.filter((field) => !isInWords || (field !== started && field !== given))),
  )
  const language = `${name}\n${lineOf(fields.find(([key]) => languageField.test(key))?.[1])}`
  for (const { key, text } of leaves) {
    machine.part = text
    if (
      commandField.test(key) ||
      (isShell && /^input$/i.test(key)) ||
      (/^code$/i.test(key) && /sh(?:ell)?$|bash|terminal/im.test(language))
    ) {
      if (/^\*\*\* Begin Patch/m.test(text) && !isShell) patchFiles(state, text)
      else run(/^(?:powershell|pwsh)$/.test(last) ? `pwsh -c ${inQuotes(text)}` : text)
    } else if (
      sqlField.test(key) ||
      (/^(?:input|code)$/i.test(key) && /sql|mongo|redis|database|query/.test(name))
    )
      run(`psql -c ${inQuotes(text)}`)
    else if (/^(?:code|source_code)$/i.test(key)) {
      run(`${/node|javascript|js|typescript/i.test(language) ? 'node -e' : 'python3 -c'} ${inQuotes(text)}`)
      for (const [, line = '', cell = line] of text.matchAll(shellOfNotebook)) run(cell)
    } else if (/^(?:patch|diff|input)$/i.test(key) && /^\*\*\* |^\+\+\+ |^--- /m.test(text))
      patchFiles(state, text)
  }
  const action = lineOf(fields.find(([key]) => actionField.test(key))?.[1])
  const written = leaves.filter(({ key }) => contentField.test(key))
  const isDeleting = words.some((word) => deletingWords.test(word)) || deletingWords.test(action)
  // An editor can show a file, too.
  const isShowing = /edit/i.test(name) && readingWords.test(lineOf(program) || action) && written.length === 0
  const isWriting = words.some((word) => writingWords.test(word)) && !isShowing
  const isReading = words.some((word) => readingWords.test(word)) && !isWriting
  const paths = leaves.filter(
    ({ key, text }) => (pathField.test(key) || text.startsWith('file://')) && text.length <= 4096,
  )
  const content: Value = written.length === 0 ? open() : { texts: written.map(({ text }) => text), from: 0 }
  for (const { text } of paths) {
    machine.part = text
    if (isDeleting) deleteFiles(state, literal(text), { isRecursive: true })
    else if (isReading || (!isWriting && written.length === 0)) readFiles(state, literal(text))
    else writeFiles(state, literal(text), content)
  }
  if (
    isDeleting &&
    !isShell &&
    words.some((word) => graveWords.test(word)) &&
    machine.found.length === 0 &&
    (tool.startsWith('mcp__') || paths.length === 0)
  ) {
    machine.part = `${tool} ${JSON.stringify(input).slice(0, 120)}`
    machine.find('destroy', 'destroysByTool', tool)
  }
}
