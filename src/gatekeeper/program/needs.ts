import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { findOnPath } from './tool.ts'

/** The languages in which the needs of a program's text can be found. */
export type Language = 'shell' | 'python' | 'node'

/** The kinds of things outside the program that a text may need. */
type NeedKind = 'tool' | 'variable' | 'package' | 'network' | 'home' | 'temporary'

/** The needs of a program's text, each name once. */
export type Needs = Readonly<Record<NeedKind, readonly string[]>>

interface Look {
  readonly kind: NeedKind
  readonly languages: readonly Language[]
  /** The first group that matched is the name. */
  readonly pattern: RegExp
}

/** Programs that hooks often start and that a system may lack. A wrong match only causes a remark. */
const wellKnown = [
  'bash|python3?|node|deno|bun|bunx|npx?|npm|pnpm|yarn|uvx?|ruby|perl|php|lua|jq|yq|curl|wget|git|gh|rg|make|docker',
  'mail|osascript|notify-send|powershell|pwsh|black|ruff|prettier|eslint|shellcheck|gitleaks|trivy|terminal-notifier',
].join('|')
const online = 'curl|wget|nc|ssh|scp|gh|npx|bunx|uvx'
const leading = '(?:exec|then|do|else|if|while|until|command|sudo|env)'
/**
 * Matches these names where a shell expects a command: at the begin of a line, after an operator, and after a
 * word that precedes a command.
 */
const command = (names: string): RegExp =>
  new RegExp(`(?:^|[;|&(\`]|\\b${leading}[ \\t]|!)[ \\t]{0,40}(${names})(?=[\\s;|&)\`<>]|$)`, 'gm')
/** Matches these names where another language starts a program. */
const started = (names: string): RegExp =>
  new RegExp(
    `\\b(?:run|call|check_call|check_output|Popen|system|popen|exec|execFile|spawn)(?:Sync)?` +
      `\\(\\s{0,9}\\[?\\s{0,9}f?["'\`](${names})(?=[\\s"'\`])`,
    'g',
  )
const packages = [
  'requests|httpx|aiohttp|yaml|dotenv|openai|anthropic|pydantic|rich|click|numpy|pandas|bs4|jsonschema|toml',
  'psutil|git|slack_sdk|boto3|tiktoken|litellm|colorama|loguru|typer',
].join('|')
const httpModules =
  'requests|httpx|aiohttp|urllib|http|socket|smtplib|websockets|openai|anthropic|slack_sdk|boto3'

/** All patterns. Each takes linear time. */
const looks: readonly Look[] = [
  { kind: 'tool', languages: ['shell'], pattern: command(wellKnown) },
  { kind: 'tool', languages: ['python', 'node'], pattern: started(wellKnown) },
  { kind: 'network', languages: ['shell'], pattern: command(online) },
  { kind: 'network', languages: ['python', 'node'], pattern: started(online) },
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
  // A default with text handles a missing variable; an empty default does not.
  {
    kind: 'variable',
    languages: ['shell'],
    pattern: /\$([A-Z][A-Z0-9_]{2,59})(?!\w)|\$\{([A-Z][A-Z0-9_]{2,59})(?::?-)?\}/g,
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

/** Removes comments, because they do nothing. */
const withoutComments = (text: string, language: Language): string =>
  text.replaceAll(language === 'node' ? /^[ \t]*(?:\/\/|\*).*$/gm : /^[ \t]*#.*$/gm, '')

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

/** Finds the needs of a text. Takes linear time. */
export const needsOf = (text: string, language: Language): Needs => {
  const read = withoutComments(text, language)
  const isSet = language === 'shell' ? isSetIn(read) : () => false
  const found = (kind: NeedKind): readonly string[] => {
    const names = new Set<string>()
    for (const { pattern, languages, ...look } of looks) {
      if (look.kind !== kind || !languages.includes(language)) continue
      for (const [, ...groups] of read.matchAll(pattern)) {
        const name = groups.find((group) => group !== undefined)
        if (name !== undefined && names.size < maxNames) names.add(name)
      }
    }
    return [...names]
  }
  return {
    tool: found('tool'),
    network: found('network'),
    home: found('home'),
    temporary: found('temporary'),
    variable: found('variable').filter((name) => !isSet(name)),
    // A script that lists its packages in itself runs under a program that installs them.
    package: /^# \/\/\/ script$/m.test(text) ? [] : found('package'),
  }
}

/** One text of a hook's program, with its needs. */
export interface ProgramText {
  readonly language: Language
  readonly needs: Needs
}

export const readText = (text: string, language: Language): ProgramText => ({
  language,
  needs: needsOf(text, language),
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
  const isAbsent: Readonly<Record<Language, (name: string) => boolean>> = {
    shell: () => false,
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
  const tools = needed(texts, 'tool').filter((name) => findOnPath(name, folders) === undefined)
  return [
    ...tools.map(
      (name) =>
        `It starts "${name}", which is not on the hooks' PATH, so it may fail at each event, ` +
        'and a failure can block the step. Install it for all users of the system.',
    ),
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
    ...(needed(texts, 'tool').includes('git') ? ['git'] : []),
    ...(network.length === 0 ? [] : [`the network (${network.slice(0, maxListed).join(', ')})`]),
    ...needed(texts, 'temporary').slice(0, maxListed),
  ]
}
