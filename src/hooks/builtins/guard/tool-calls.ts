import { isObject, type Json, type JsonObject } from '../../../model/base/json.ts'
import { deleteFiles, readFiles, writeFiles } from './files.ts'
import { type Machine, type State, TooMuchError } from './machine.ts'
import { literal, longText, open, type Value, quoted } from './reading/value.ts'

type RunText = (text: string, state: State) => unknown

const shellTool =
  /^(?:bash|sh|shell|zsh|terminal|exec|exec_command|execute(?:_command)?|run_?(?:command|terminal_cmd|shell_command|in_terminal|bash)?|local_shell|command|process|cmd|powershell|pwsh)$/

const commandField = /^(?:command|cmd|script|shell|commands|command_line|commandline|bash|chars)$/i

const pathField =
  /^(?:path|paths|file|files|file_?path|file_?paths|filepath|filename|target_?file|absolute_?path|relative_?path|notebook_path|uri|src|source|dest(?:ination)?|target|from|to|old_path|new_path|dir|directory|folder|root|cwd_path)$/i

const contentField =
  /^(?:content|contents|text|new_?(?:string|str|text|source|content)|file_text|insert_text|data|body|replacement|code_edit|updated_input)$/i

const sqlField = /^(?:sql|query|statement|statements|pipeline|aql|cypher)$/i

/** The words of a name such as `mcp__db__drop_table` or `deleteRepo`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .slice(-256)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')

const writingWords =
  /^(?:write|edit|create|update|patch|replace|insert|append|save|put|set|move|rename|copy|str|multi|notebook|apply|modify|overwrite)$/

const readingWords =
  /^(?:read|get|view|cat|open|show|fetch|load|download|search|grep|list|glob|find|head|tail|describe)$/

const deletingWords =
  /^(?:delete|remove|drop|destroy|purge|truncate|wipe|erase|terminate|uninstall|flush|clear|reset|revoke|unpublish|empty|kill|shutdown)$/

const graveWords =
  /^(?:databases?|tables?|schemas?|collections?|index|indexes|buckets?|objects?|repos?|repository|repositories|branch|branches|tags?|volumes?|disks?|clusters?|namespaces?|pods?|deployments?|projects?|instances?|vms?|servers?|stacks?|users?|accounts?|members?|organi[sz]ations?|teams?|keys?|secrets?|tokens?|files?|folders?|director(?:y|ies)|records?|rows?|items?|documents?|pages?|messages?|emails?|mails?|threads?|channels?|events?|calendars?|contacts?|domains?|zones?|dns|functions?|apps?|applications?|sites?|services?|containers?|images?|networks?|snapshots?|backups?|releases?|packages?|issues?|all|data|storage|cache|queues?|topics?|streams?|workspaces?|environments?|subscriptions?|customers?|orders?|invoices?|payments?|cards?|boards?|lists?|notes?|entities|entity|relations?|observations?|nodes?|graph|trash)$/

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

/** The files that a patch in the form of `apply_patch` or of `diff` changes. */
const patched = (patch: string): readonly { readonly path: string; readonly isDeleted: boolean }[] =>
  [
    ...patch.matchAll(
      /^(?:\*\*\* (Add|Update|Delete) File: (.+)|\*\*\* Move to: (.+)|\+\+\+ (?:b\/)?([^\t\n]+)|--- (?:a\/)?([^\t\n]+))$/gm,
    ),
  ]
    .map(([, verb, file, moved, added, taken]) => ({
      path: (file ?? moved ?? added ?? taken ?? '').trim(),
      isDeleted: verb === 'Delete',
    }))
    .filter(({ path }) => path !== '' && path !== '/dev/null')

const lineOf = (words: readonly Json[]): string =>
  words.map((word) => (typeof word === 'string' ? quoted(word) : '')).join(' ')

const judgePatch = (text: string, machine: Machine, state: State): void => {
  for (const { path, isDeleted } of patched(text)) {
    machine.part = path
    if (isDeleted) deleteFiles(machine, state, literal(path), { isRecursive: false })
    else writeFiles(machine, state, literal(path), longText(text))
  }
}

/** Judges the call of any tool by what its name and its fields say. */
export const judgeTool = (
  tool: string,
  input: JsonObject,
  machine: Machine,
  state: State,
  run: RunText,
): void => {
  const name = tool.replace(/^mcp__/, '')
  const words = wordsOf(name)
  const last = name.toLowerCase().replace(/^.*(?:__|\.|\/)/, '')
  const { command } = input
  // Codex and others give the words of a program.
  if (Array.isArray(command)) {
    machine.part = command.join(' ').slice(0, 160)
    if (command[0] === 'apply_patch') judgePatch(String(command[1] ?? ''), machine, state)
    else run(lineOf(command), state)
  }
  const leaves = leavesOf(input)
  const isShell = shellTool.test(last)
  for (const { key, text } of leaves) {
    if (
      !(Array.isArray(command) && key === 'command') &&
      (commandField.test(key) ||
        (isShell && /^(?:input|args?)$/i.test(key)) ||
        (/^code$/i.test(key) && /sh(?:ell)?$|bash|terminal/.test(last)))
    ) {
      if (/^\*\*\* Begin Patch/m.test(text) && !isShell) judgePatch(text, machine, state)
      else {
        machine.part = text
        run(/^(?:powershell|pwsh)$/.test(last) ? `pwsh -c ${quoted(text)}` : text, state)
      }
    } else if (
      sqlField.test(key) ||
      (/^(?:input|code)$/i.test(key) && /sql|mongo|redis|database|query/.test(name))
    ) {
      machine.part = text
      run(`psql -c ${quoted(text)}`, state)
    } else if (/^(?:code|source_code)$/i.test(key)) {
      machine.part = text
      run(`${/node|javascript|js/.test(name) ? 'node -e' : 'python3 -c'} ${quoted(text)}`, state)
    } else if (/^(?:patch|diff|input)$/i.test(key) && /^\*\*\* |^\+\+\+ |^--- /m.test(text))
      judgePatch(text, machine, state)
  }
  const isDeleting = words.some((word) => deletingWords.test(word))
  const isWriting = words.some((word) => writingWords.test(word))
  const isReading = words.some((word) => readingWords.test(word)) && !isWriting
  const paths = leaves.filter(({ key, text }) => pathField.test(key) && text.length <= 4096)
  const written = leaves.filter(({ key }) => contentField.test(key))
  const content: Value = written.length === 0 ? open() : { texts: written.map(({ text }) => text), from: 0 }
  for (const { text } of paths) {
    machine.part = text
    if (isDeleting) deleteFiles(machine, state, literal(text), { isRecursive: true })
    else if (isReading || (!isWriting && written.length === 0)) readFiles(machine, state, literal(text))
    else writeFiles(machine, state, literal(text), content)
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
