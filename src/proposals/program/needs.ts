import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import type { CodeLanguage, NameKind, ScriptCode } from './code/code-finds.ts'
import { spokenAt } from './code/literals.ts'
import { gitRemarks } from './shell/git-writes.ts'
import { findOnPath } from './tool.ts'

type LookKind = 'variable' | 'package' | 'network' | 'home' | 'temporary'
/** The kinds of things outside the program that a text may need. */
type NeedKind = LookKind | NameKind

/** The needs of a program's text, each name once. */
export type Needs = Readonly<Record<NeedKind, readonly string[]>>

interface Look {
  readonly kind: LookKind
  readonly languages: readonly CodeLanguage[]
  /** The first group that matched is the name. */
  readonly pattern: RegExp
}

const online = new Set(['curl', 'wget', 'nc', 'ssh', 'scp', 'gh', 'npx', 'bunx', 'uvx'])
const packages = [
  'requests|httpx|aiohttp|yaml|dotenv|openai|anthropic|pydantic|rich|click|numpy|pandas|bs4|jsonschema|toml',
  'psutil|git|slack_sdk|boto3|tiktoken|litellm|colorama|loguru|typer',
].join('|')
const httpModules =
  'requests|httpx|aiohttp|urllib|http|socket|smtplib|websockets|openai|anthropic|slack_sdk|boto3'

/** All patterns. Each takes linear time. */
const looks: readonly Look[] = [
  {
    kind: 'network',
    languages: ['python'],
    pattern: new RegExp(`^[ \\t]*(?:from|import)[ \\t]+(${httpModules})\\b`, 'gm'),
  },
  {
    kind: 'network',
    languages: ['node'],
    pattern: /\b(fetch)\(|['"](?:node:)?(https?|net|axios|undici|got|ws)['"]/g,
  },
  {
    kind: 'variable',
    languages: ['python'],
    pattern: /\bos\.environ\[["'](\w{1,60})["']\](?!\s{0,9}=[^=])/g,
  },
  {
    kind: 'variable',
    languages: ['python'],
    pattern: /\b(?:os\.environ\.get|os\.getenv|getenv)\(\s{0,9}["'](\w{1,60})["']\s{0,9}\)/g,
  },
  {
    kind: 'variable',
    languages: ['node'],
    pattern: /\bprocess\.env\.(\w{1,60})\b(?!\s{0,9}(?:\?\?|\|\||=[^=]))/g,
  },
  {
    kind: 'variable',
    languages: ['node'],
    pattern: /\bprocess\.env\[["'](\w{1,60})["']\](?!\s{0,9}(?:\?\?|\|\||=[^=]))/g,
  },
  // An indented import is usually optional.
  {
    kind: 'package',
    languages: ['python'],
    pattern: new RegExp(`^(?:from|import)[ \\t]+(${packages})\\b`, 'gm'),
  },
  {
    kind: 'package',
    languages: ['node'],
    pattern:
      /(?:\brequire\(|\bfrom|^import)\s{0,9}['"]((?:@[\w.-]{1,60}\/)?[a-z][\w.-]{0,60})(?:\/[^'"\n]{0,100})?['"]/gm,
  },
  {
    kind: 'home',
    languages: ['shell'],
    pattern: /(?:^|[\s"'=:(>])((?:~|\$HOME|\$\{HOME\})\/[\w.@-][\w./@-]{0,99})/gm,
  },
  {
    kind: 'home',
    languages: ['python'],
    pattern: /\bexpanduser\(\s{0,9}f?["'](~[^"'\n]{0,99})["']|\b(Path\.home)\(\)/g,
  },
  { kind: 'home', languages: ['node'], pattern: /\b(homedir)\(\)|\bprocess\.env\.(HOME)\b/g },
  {
    kind: 'temporary',
    languages: ['shell', 'python', 'node'],
    pattern: /(?:^|[\s"'`=:(>])(\/tmp\/[\w.$@{}-][\w./$@{}-]{0,99})/gm,
  },
]

/** The maximum number of names of each kind. */
const maxNames = 20

/** True for variables that the shell text itself sets. */
const isSetIn = (text: string): ((name: string) => boolean) => {
  const set = new Set<string>()
  for (const [, name = ''] of text.matchAll(/\b([A-Z][A-Z0-9_]{0,59})\+?=/g)) set.add(name)
  for (const [, names = ''] of text.matchAll(
    /\b(?:for|read|local|declare|typeset|readarray|mapfile|printf -v)\b([^\n;|&<]{0,200})/g,
  )) {
    for (const [name] of names.matchAll(/\b[A-Z][A-Z0-9_]{0,59}\b/g)) set.add(name)
  }
  return (name) => set.has(name)
}

/**
 * Finds the needs of a text. Its third argument is what was read of the text's code. A comment or a string
 * that speaks of something needs nothing. Takes linear time.
 */
export const needsOf = (text: string, language: CodeLanguage, { names: used }: ScriptCode): Needs => {
  const isCode = language === 'python' || language === 'node'
  const read = isCode ? text : text.replaceAll(/^[ \t]*#.*$/gm, '')
  const isSpoken = isCode ? spokenAt(text, language) : () => false
  const found = (kind: LookKind): readonly string[] => {
    const names = new Set<string>()
    for (const { pattern, languages, ...look } of looks) {
      if (look.kind !== kind || !languages.includes(language)) continue
      for (const match of read.matchAll(pattern)) {
        if (kind !== 'temporary' && isSpoken(match.index)) continue
        const name = match.slice(1).find((group) => group !== undefined)
        if (name !== undefined && names.size < maxNames) names.add(name)
      }
    }
    return [...names]
  }
  const isSet = language === 'shell' ? isSetIn(read) : () => false
  return {
    ...used,
    network: [...found('network'), ...[...used.started, ...used.sought].filter((name) => online.has(name))],
    home: found('home'),
    temporary: found('temporary'),
    variable: [...found('variable'), ...used.variable.filter((name) => !isSet(name))],
    // A script that lists its packages in itself runs under a program that installs them.
    package: /^# \/\/\/ script$/m.test(text) ? [] : found('package'),
  }
}

/** One text of a hook's program, with its needs. */
export interface ProgramText {
  readonly language: CodeLanguage
  readonly needs: Needs
}

export const readText = (text: string, language: CodeLanguage, code: ScriptCode): ProgramText => ({
  language,
  needs: needsOf(text, language, code),
})

/**
 * The program that a shell script executes in its own place with its first command. The script cannot work
 * without it.
 */
export const handsOverTo = (text: string): string | undefined => {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#'))
  return /^exec[ \t]+([\w.+-]+)(?=[ \t]|$)/.exec(first ?? '')?.[1]
}

/** The things that a hook can use here, as far as the gate knows. */
export interface AvailableNeeds {
  /** The folders of the hooks' PATH. */
  readonly folders: readonly string[]
  /** The variables that are set for this hook, in addition to those of every hook. */
  readonly variables: ReadonlySet<string>
  /** True when a file, package or module of this name is sealed with the hook. */
  isSealed(name: string): boolean
  /** The real path of the Python that runs it. Absent when another program runs it. */
  readonly python?: string
}

/** Variables that every hook or the shell itself sets. */
const alwaysSet = new RegExp(
  '^(?:' +
    [
      'PATH|HOME|LANG|TZ|USER|LOGNAME|TMPDIR|PWD|OLDPWD|SHLVL|IFS|PPID|UID|EUID|RANDOM|SECONDS|LINENO|HOSTNAME|HOSTTYPE',
      'OSTYPE|MACHTYPE|SHELL|SHELLOPTS|BASH\\w*|FUNCNAME|OPTARG|OPTIND|OPTERR|REPLY|PIPESTATUS|DIRSTACK|GROUPS|EPOCH\\w+',
      'COLUMNS|LINES|TERM|NF|NR|FNR|OFS|ORS|FS|RS|ENVIRON|ARGV|ARGC|ENV|HOOKGATE_\\w+|PYTHON\\w+|GIT_\\w+|LC_\\w+',
    ].join('|') +
    ')$',
)

/** Variables that switch a hook's behaviour and are usually not set. */
const isToggle = /(?:^|_)(?:SKIP|DEBUG|VERBOSE|DISABLED?|FORCE|QUIET|DRY_RUN|NO|CI|LEVEL)(?:_|$)/

/**
 * The folders in which a Python has its packages. Undefined when they are unknown, so that no remark is made.
 */
const packageFolders = (python: string): readonly string[] | undefined => {
  const [, prefix = '', version = ''] = /^(.*)\/bin\/python(\d+\.\d+)$/.exec(python) ?? []
  if (version === '') return undefined
  const prefixes = prefix === '/usr' ? ['/usr', '/usr/local'] : [prefix]
  const folders = prefixes
    .flatMap((at) => [
      `${at}/lib/python${version}/site-packages`,
      `${at}/lib/python${version}/dist-packages`,
      `${at}/lib/python3/dist-packages`,
    ])
    .filter((folder) => fs.existsSync(folder))
  return folders.length === 0 ? undefined : folders
}

const isInstalled = (name: string, folders: readonly string[]): boolean =>
  folders.some((folder) => [name, `${name}.py`].some((file) => fs.existsSync(path.join(folder, file))))

const maxListed = 5
/** The maximum number of programs that are looked for in the folders of the PATH. */
const maxSearched = 200
const listed = (names: readonly string[]): string =>
  `${names
    .slice(0, maxListed)
    .map((name) => `"${name}"`)
    .join(', ')}${names.length > maxListed ? ' and more' : ''}`

const needed = (texts: readonly ProgramText[], kind: NeedKind): readonly string[] => [
  ...new Set(texts.flatMap(({ needs }) => needs[kind])),
]

/** The imported packages that are neither sealed with the hook nor installed. */
const absentPackages = (
  texts: readonly ProgramText[],
  { folders, isSealed, python }: AvailableNeeds,
): readonly string[] => {
  const runner = python ?? findOnPath('python3', folders)?.real
  const installed = runner === undefined ? undefined : packageFolders(runner)
  const isAbsent: Readonly<Record<CodeLanguage, (name: string) => boolean>> = {
    shell: () => false,
    other: () => false,
    python: (name) => installed !== undefined && !isInstalled(name, installed),
    node: (name) => !isBuiltin(name),
  }
  const absent = texts.flatMap(({ language, needs }) => needs.package.filter(isAbsent[language]))
  return [...new Set(absent)].filter((name) => !isSealed(name))
}

/** The variables that Claude Code sets for the hooks of a plugin. */
const ofPlugin = /^CLAUDE_PLUGIN_(?:ROOT|DATA)$/

/** The named paths in the home folder, or else the folder itself. */
const homeWords = (names: readonly string[]): string => {
  const places = names.filter((name) => name.includes('/'))
  return places.length === 0 ? 'the home folder' : listed(places)
}

/**
 * Sentences for the owner about things that the hook needs and that are missing here. They are remarks and
 * never prevent an approval.
 */
export const lacksOf = (texts: readonly ProgramText[], found: AvailableNeeds): readonly string[] => {
  const { folders, variables, isSealed } = found
  const isUnset = (name: string): boolean =>
    !alwaysSet.test(name) && !isToggle.test(name) && !variables.has(name)
  const absent = needed(texts, 'variable').filter(isUnset)
  const unset = absent.filter((name) => !ofPlugin.test(name))
  const homes = needed(texts, 'home').filter((name) => !isSealed(name))
  const strangers = absentPackages(texts, found)
  const functions = new Set(needed(texts, 'function'))
  const isAway = (name: string): boolean => !functions.has(name) && findOnPath(name, folders) === undefined
  const sought = needed(texts, 'sought').slice(0, maxSearched).filter(isAway)
  const started = needed(texts, 'started')
    .slice(0, maxSearched)
    .filter((name) => !sought.includes(name) && isAway(name))
  return [
    ...gitRemarks(needed(texts, 'git')),
    ...started
      .slice(0, maxListed)
      .map(
        (name) =>
          `It starts "${name}", which is not on the hooks' PATH, so it may fail at each event, ` +
          'and a failure can block the step. Install it for all users of the system.',
      ),
    ...(sought.length === 0
      ? []
      : [
          `It looks for ${listed(sought)}, which is not on the hooks' PATH, so it may do nothing. ` +
            'Install it for all users of the system.',
        ]),
    ...(strangers.length === 0
      ? []
      : [
          `It imports ${listed(strangers)}, which is not installed where hooks run, so it may fail at each event.`,
        ]),
    ...(absent.length === unset.length
      ? []
      : [
          'It uses the folder of a plugin of Claude Code, and its file is not read as one. ' +
            'Name the folder of the plugin under "claude-plugin" in "sources".',
        ]),
    ...(unset.length === 0
      ? []
      : [
          `It reads ${listed(unset)} from the environment, but nothing sets it here. ` +
            'Set it with "env", which can pass on a variable of yours that gate.yaml lists.',
        ]),
    ...(homes.length === 0
      ? []
      : [
          `It uses ${homeWords(homes)}. Hooks have their own home folder, so the files in yours are not there.`,
        ]),
  ]
}

/** Short descriptions of the things that the hook uses and that exist here. */
export const usesOf = (texts: readonly ProgramText[]): readonly string[] => {
  const network = needed(texts, 'network')
  return [
    ...((['started', 'sought'] as const).some((kind) => needed(texts, kind).includes('git')) ? ['git'] : []),
    ...(network.length === 0 ? [] : [`the network (${network.slice(0, maxListed).join(', ')})`]),
    ...needed(texts, 'temporary').slice(0, maxListed),
  ]
}
