import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { findOnPath } from './tool.ts'

/** The language that a program's text is written in, as far as it is looked through. */
export type Language = 'shell' | 'python' | 'node'

/** What a text may need of the world around it. */
type NeedKind = 'tool' | 'variable' | 'package' | 'network' | 'home' | 'temporary'

/** What a program's text says that it needs, each name once. */
export type Needs = Readonly<Record<NeedKind, readonly string[]>>

interface Look {
  readonly kind: NeedKind
  readonly languages: readonly Language[]
  /** Its first group that matched is the name. */
  readonly pattern: RegExp
}

/** Programs that hooks start and that a system may lack. What only looks like one costs no more than a remark. */
const wellKnown = [
  'bash|python3?|node|deno|bun|bunx|npx?|npm|pnpm|yarn|uvx?|ruby|perl|php|lua|jq|yq|curl|wget|git|gh|rg|make|docker',
  'mail|osascript|notify-send|powershell|pwsh|black|ruff|prettier|eslint|shellcheck|gitleaks|trivy|terminal-notifier',
].join('|')
const online = 'curl|wget|nc|ssh|scp|gh|npx|bunx|uvx'
const leading = '(?:exec|then|do|else|if|while|until|command|sudo|env)'
/** Where a shell expects a command: as a line begins, behind an operator, behind a word that leads one in. */
const command = (names: string): RegExp =>
  new RegExp(`(?:^|[;|&(\`]|\\b${leading}[ \\t]|!)[ \\t]{0,40}(${names})(?=[\\s;|&)\`<>]|$)`, 'gm')
/** Where another language starts a program by its name. */
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

/** All that is looked for. Each pattern takes linear time. */
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
  // A text in place of a missing one is a word about it; an empty one is none.
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
  // An indented import is one that can be done without.
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

/** Of each kind. */
const maxNames = 20

/** What a comment says is nothing that the program does. */
const withoutComments = (text: string, language: Language): string =>
  text.replaceAll(language === 'node' ? /^[ \t]*(?:\/\/|\*).*$/gm : /^[ \t]*#.*$/gm, '')

/** What shell text itself gives a value. */
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

/** What a text needs, read in linear time. */
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
    // A script that names its own packages has a program that fetches them.
    package: /^# \/\/\/ script$/m.test(text) ? [] : found('package'),
  }
}

/** One text of a hook's program, and what it needs. */
export interface ProgramText {
  readonly language: Language
  readonly needs: Needs
}

export const readText = (text: string, language: Language): ProgramText => ({
  language,
  needs: needsOf(text, language),
})

/** The program that a shell script puts in its own place with its first command: it does nothing without it. */
export const handsOverTo = (text: string): string | undefined => {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#'))
  return /^exec[ \t]+([\w.+-]+)(?=[ \t]|$)/.exec(first ?? '')?.[1]
}

/** What a hook finds around it, as far as the gate knows. */
export interface AvailableNeeds {
  /** The folders of the hooks' PATH. */
  readonly folders: readonly string[]
  /** The variables that somebody sets for this hook, beside those of every hook. */
  readonly variables: ReadonlySet<string>
  /** Whether what is called so is sealed with the hook: a file, a folder of a package, a module. */
  isSealed(name: string): boolean
  /** The real path of the Python that runs it, if one does. */
  readonly python?: string
}

/** Set for every hook, or by the shell itself. */
const alwaysSet = new RegExp(
  '^(?:' +
    [
      'PATH|HOME|LANG|TZ|USER|LOGNAME|TMPDIR|PWD|OLDPWD|SHLVL|IFS|PPID|UID|EUID|RANDOM|SECONDS|LINENO|HOSTNAME|HOSTTYPE',
      'OSTYPE|MACHTYPE|SHELL|SHELLOPTS|BASH\\w*|FUNCNAME|OPTARG|OPTIND|OPTERR|REPLY|PIPESTATUS|DIRSTACK|GROUPS|EPOCH\\w+',
      'COLUMNS|LINES|TERM|NF|NR|FNR|OFS|ORS|FS|RS|ENVIRON|ARGV|ARGC|ENV|HOOKGATE_\\w+|PYTHON\\w+|GIT_\\w+|LC_\\w+',
    ].join('|') +
    ')$',
)

/** What people set now and then to have a hook do less or say more: that it is not set is the usual case. */
const isToggle = /(?:^|_)(?:SKIP|DEBUG|VERBOSE|DISABLED?|FORCE|QUIET|DRY_RUN|NO|CI|LEVEL)(?:_|$)/

/** Where a Python keeps packages; undefined when that is not known, so that nothing is said of them. */
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

const maxSaid = 5
const listed = (names: readonly string[]): string =>
  `${names
    .slice(0, maxSaid)
    .map((name) => `"${name}"`)
    .join(', ')}${names.length > maxSaid ? ' and more' : ''}`

const needed = (texts: readonly ProgramText[], kind: NeedKind): readonly string[] => [
  ...new Set(texts.flatMap(({ needs }) => needs[kind])),
]

/** The packages that a program imports and that are neither sealed with it nor installed. */
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

/** The places in the home folder that are known by name; else the folder alone. */
const homeWords = (names: readonly string[]): string => {
  const places = names.filter((name) => name.includes('/'))
  return places.length === 0 ? 'the home folder' : listed(places)
}

/** Sentences for the person: what the hook needs and does not find here. Each is a remark, and never a refusal. */
export const lacksOf = (texts: readonly ProgramText[], found: AvailableNeeds): readonly string[] => {
  const { folders, variables, isSealed } = found
  const isUnset = (name: string): boolean =>
    !alwaysSet.test(name) && !isToggle.test(name) && !variables.has(name)
  const unset = needed(texts, 'variable').filter(isUnset)
  const homes = needed(texts, 'home').filter((name) => !isSealed(name))
  const strangers = absentPackages(texts, found)
  const tools = needed(texts, 'tool').filter((name) => findOnPath(name, folders) === undefined)
  return [
    ...tools.map(
      (name) =>
        `It starts "${name}", which is not on the hooks' PATH, and may fail at each event: ` +
        'what waits for its answer would then be stopped. Install it where the system looks for programs.',
    ),
    ...(strangers.length === 0
      ? []
      : [
          `It imports ${listed(strangers)}, which is not installed where hooks run, and may fail at each event.`,
        ]),
    ...(unset.length === 0
      ? []
      : [
          `It reads ${listed(unset)} from the environment, and nothing sets that here. ` +
            'Set it with "env", which can hand on a variable of yours that gate.yaml lists.',
        ]),
    ...(homes.length === 0
      ? []
      : [`It uses ${homeWords(homes)}. Hooks have a home of their own: what lies in yours is not there.`]),
  ]
}

/** What the hook uses and finds, in a few words: what an owner may want to know of it. */
export const usesOf = (texts: readonly ProgramText[]): readonly string[] => {
  const network = needed(texts, 'network')
  return [
    ...(needed(texts, 'tool').includes('git') ? ['git'] : []),
    ...(network.length === 0 ? [] : [`the network (${network.slice(0, maxSaid).join(', ')})`]),
    ...needed(texts, 'temporary').slice(0, maxSaid),
  ]
}
