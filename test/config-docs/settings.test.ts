import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { listedVerbs } from '../../src/cli/run.ts'
import { environment } from '../../src/config/environment.ts'
import { agentSchema } from '../../src/config/read-switch-file.ts'
import { gateSchema } from '../../src/config/schema.ts'
import { belongsTo, entryShape, isOption } from '../../src/proposals/entry/entry-shape.ts'
import { expectGenerated } from './generated.ts'
import { bareOf, optionsOf, type FileOption } from './options.ts'
import { tableOf } from './table.ts'

const root = resolve(import.meta.dirname, '../..')
const references = new URL('../../config/context/references/', import.meta.url)
const page = new URL('settings.md', references)

const ofGate = optionsOf(gateSchema)
const ofAgent = optionsOf(agentSchema)
/** An entry's descriptions are its types in words, and what an option does stands beside them. */
const ofEntry: readonly FileOption[] = Object.entries(entryShape).map(([name, schema]) => {
  const does = z.globalRegistry.get(schema)?.['does']
  const types = isOption(name) ? belongsTo[name] : undefined
  return {
    name,
    ...(types === undefined ? {} : { kind: types.join(', ') }),
    type: schema.description ?? '',
    otherwise: bareOf(schema).otherwise,
    does: typeof does === 'string' ? does : undefined,
  }
})
const variables = Object.values(environment).flatMap((group) => Object.entries(group))

const optionTable = (options: readonly FileOption[]): string =>
  tableOf(
    ['Option', 'Type', 'Default', 'What it does'],
    options.map(({ name, kind, type, otherwise, does = '' }) => [
      `\`${name}\`${kind === undefined ? '' : ` (${kind})`}`,
      type,
      otherwise,
      does,
    ]),
  )

const variableTable = (group: (typeof environment)[keyof typeof environment]): string =>
  tableOf(
    ['Variable', 'Default', 'What it does'],
    Object.entries(group).map(([name, { otherwise, does }]) => [
      `\`${name}\``,
      otherwise === undefined ? 'none' : `\`${otherwise}\``,
      does,
    ]),
  )

const verbWords = ({ usage, does, help }: (typeof listedVerbs)[number]): string =>
  [
    `\`${usage}\``,
    `It ${does.join(' ')}.`,
    ...(help === undefined ? [] : [`\`\`\`text\n${help}\n\`\`\``]),
  ].join('\n\n')

it('the page names each option of gate.yaml and agent.yaml as the schema does', () => {
  expectGenerated(page, 'gate.yaml', optionTable(ofGate))
  expectGenerated(page, 'agent.yaml', optionTable(ofAgent))
})

it('the reference names each option of a hook as the schema does', () => {
  expectGenerated(new URL('agent-hooks.md', references), 'options', optionTable(ofEntry))
})

it('the page names each environment variable as its table does', () => {
  expectGenerated(page, 'variables of yours', variableTable(environment.ofOwner))
  expectGenerated(page, 'variables of traces', variableTable(environment.ofTraces))
  expectGenerated(page, 'variables of the system', variableTable(environment.ofSystem))
  expectGenerated(page, 'variables of hooks', variableTable(environment.ofHooks))
  expectGenerated(page, 'variables of processes', variableTable(environment.ofProcesses))
})

it('the page names each verb with its own help', () => {
  expectGenerated(page, 'verbs', listedVerbs.map(verbWords).join('\n\n'))
})

it('each option, variable and verb is described in whole sentences, and has a type in words', () => {
  const options = [...ofGate, ...ofAgent, ...ofEntry]
  expect(options.length).toBeGreaterThan(60)
  const described = [
    ...options.map(({ name, does = '' }) => [name, does]),
    ...variables.map(([name, { does }]) => [name, does]),
    ...listedVerbs.map(({ usage, does }) => [usage, `It ${does.join(' ')}.`]),
  ]
  expect(described.filter(([, does = '']) => !/^[A-Z`h].{10,}[.]$/s.test(does))).toEqual([])
  expect(options.filter(({ type }) => type === '' || type.startsWith('Invalid input'))).toEqual([])
})

it('each variable that the code reads or sets is in the table, and none is there for nothing', () => {
  const sources = globSync(['src/**/*.ts', 'bots/**/*.ts'], { cwd: root, exclude: ['**/node_modules'] })
    .filter((file) => !file.startsWith('src/attack/') && file !== 'src/config/environment.ts')
    .map((file) => readFileSync(resolve(root, file), 'utf8'))
  const read = sources.flatMap((text) =>
    [...text.matchAll(/\benv\['([A-Z_]+)'\]|\bneeded\('([A-Z_]+)'\)|\b(HOOKGATE_[A-Z_]*[A-Z])\b/g)].map(
      ([, inEnv, needed, own]) => inEnv ?? needed ?? own ?? '',
    ),
  )
  const named = variables.map(([name]) => name)
  expect([...new Set(read)].filter((name) => !named.includes(name)).toSorted()).toEqual([])
  const all = sources.join('\n')
  expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([])
})
