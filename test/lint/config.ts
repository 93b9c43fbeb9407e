/** One folder of code, and what it may import of the others. */
interface ImportRule {
  readonly files: readonly string[]
  /** Folders of `src` and of `bots` that they may import besides their own, `core/model` and `shared`. */
  readonly may: readonly string[]
  /** Folders of `src/core` that they may import besides `model`. */
  readonly mayOfCore?: readonly string[]
  readonly message: string
  readonly mayUseMessengers?: true
}

/** What can open the gate or let something out. Each of these folders knows `core/model` and itself. */
const core = ['commands', 'dispatcher', 'gatekeeper', 'hooks', 'inbox']
const edge = [
  'agents',
  'attack',
  'backup',
  'bridge',
  'chats',
  'commands',
  'config',
  'dialects',
  'doctor',
  'handlers',
  'history',
  'isolation',
  'node',
  'notices',
  'permissions',
  'prompts',
  'proposals',
  'rate-limits',
  'server',
  'service',
  'store',
]
/** Exceptions of the edge, each with its reason. */
const exceptions: Readonly<Record<string, Pick<ImportRule, 'may' | 'mayOfCore'>>> = {
  // It cuts the words after a command as the parser cut the command.
  commands: { may: [], mayOfCore: ['commands'] },
  // It asks the same questions about events of the past as the gate asks about those of now.
  handlers: { may: [], mayOfCore: ['hooks'] },
  // It checks with the engine that will run a pattern, and with the handler that will be asked.
  proposals: { may: ['handlers'], mayOfCore: ['hooks'] },
}
const bots = ['feishu', 'memory', 'telegram', 'web', 'wechat']
/** These wire the modules together, and no module imports them. */
const wiring = ['cli', 'compose', 'index', 'main']
const everything = [...edge, ...wiring, ...bots, 'bots']

/** The star: core imports itself alone; each folder of the edge imports the vocabulary and itself. */
const importRules: readonly ImportRule[] = [
  ...core.map((module) => ({
    files: [`src/core/${module}/**`],
    may: [],
    message: `core/${module} imports only core/model and its own folder; all else is passed to it as functions.`,
  })),
  ...edge.map((module) => ({
    files: [`src/${module}/**`],
    may: [],
    ...exceptions[module],
    message: `${module} imports only core/model, shared and its own folder; all else is passed to it as functions.`,
  })),
  {
    files: ['src/shared/**'],
    may: [],
    message: 'shared is the vocabulary of the edge: it imports only core/model and itself.',
  },
  ...bots.map((bot) => ({
    files: [`bots/${bot}/**`],
    may: [],
    message: 'A bot imports only src/core/model, src/shared and its own folder.',
    mayUseMessengers: true as const,
  })),
  {
    files: ['src/compose/**'],
    may: [...edge, ...bots, 'bots'],
    mayOfCore: core,
    message: 'A chapter imports no program.',
  },
  {
    files: ['src/main.ts'],
    may: ['compose'],
    message: 'main.ts names the chapters of compose/ and imports nothing else.',
  },
  {
    files: ['src/cli.ts', 'src/cli/**', 'src/index.ts'],
    may: [...edge, ...wiring],
    mayOfCore: core,
    message: 'Only compose/ imports bots.',
  },
]

const messengers = {
  regex: '^(grammy|@grammyjs/.*|@larksuiteoapi/.*|wechaty.*)$',
  message: "Only bots/ may import a messenger's library.",
}

/** The programs of `src` are files; everything else that is imported across is a folder. */
const programs = ['cli', 'index', 'main']

/** Matches the import of a folder or program that these files must not know. */
const closedTo = ({ files, may, mayOfCore = [] }: ImportRule): string => {
  const [, top, inner] = files[0]?.split('/') ?? []
  const own = files.map((pattern) => pattern.split('/')[1]?.replace('.ts', ''))
  const isCore = top === 'core'
  const names = isCore
    ? [...new Set([...core, ...everything, 'shared'])].filter((name) => name !== inner)
    : everything.filter((name) => !may.includes(name) && !own.includes(name))
  const folders = names.filter((name) => !programs.includes(name)).join('|')
  const closedPrograms = names.filter((name) => programs.includes(name)).join('|')
  const closedCore = core.filter((name) => !mayOfCore.includes(name)).join('|')
  return [
    String.raw`^(\.{1,2}/)+((src|bots)/)?(${folders})/`,
    String.raw`^(\.{1,2}/)+(src/)?(${closedPrograms})\.ts$`,
    ...(isCore || closedCore === '' ? [] : [String.raw`^(\.{1,2}/)+(src/)?core/(${closedCore})/`]),
  ].join('|')
}

const importOverride = (rule: ImportRule) => ({
  files: rule.files,
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          { regex: closedTo(rule), message: rule.message },
          ...(rule.mayUseMessengers ? [] : [messengers]),
        ],
      },
    ],
  },
})

const modelOverride = (
  files: readonly string[],
  patterns: readonly { readonly regex: string; readonly message: string }[],
) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          { regex: String.raw`^\.\./\.\./`, message: 'model imports nothing of ours.' },
          ...patterns,
        ],
      },
    ],
  },
})

const lines = (max: number) => ['error', { max, skipBlankLines: false, skipComments: false }]

/** The configuration of oxlint. `.oxlintrc.json` is made from it. */
export const lintConfig = {
  $schema: './node_modules/oxlint/configuration_schema.json',
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true },
  rules: {
    'max-lines': lines(400),
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'no-var': 'error',
    'prefer-const': 'error',
    eqeqeq: 'error',
    'no-await-in-loop': 'off',
    'no-underscore-dangle': 'off',
    'no-shadow': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/no-array-reverse': 'off',
    'import/no-unassigned-import': 'off',
    'typescript/unbound-method': 'off',
    'consistent-return': 'off',
    'typescript/consistent-return': 'off',
    'promise/always-return': 'off',
    'promise/catch-or-return': 'off',
    'no-control-regex': 'off',
    'unicorn/require-post-message-target-origin': 'off',
  },
  overrides: [
    modelOverride(['src/core/model/**'], [{ regex: '^[^.]', message: 'model imports no package.' }]),
    // test/core/closure.test.ts names the packages that may be read with the heart.
    modelOverride(
      ['approval', 'base', 'disk', 'shell'].map((folder) => `src/core/model/${folder}/**`),
      [],
    ),
    ...importRules.map(importOverride),
    {
      files: ['src/**', 'bots/**'],
      rules: { 'max-lines-per-function': lines(150) },
    },
    {
      // A chapter takes what exists already. What flows back is a subscription.
      files: ['src/main.ts', 'src/compose/**', 'src/core/dispatcher/**'],
      rules: { 'no-use-before-define': 'error' },
    },
    {
      // It is a table of contents.
      files: ['src/main.ts'],
      rules: { 'max-lines': lines(80) },
    },
    {
      // A file of tests is a list of cases that do not depend on each other.
      files: ['test/**'],
      rules: {
        'typescript/no-non-null-assertion': 'off',
        'max-lines': lines(600),
        // They end after a second, where a busy machine needs many.
        'no-restricted-properties': [
          'error',
          ...['waitFor', 'waitUntil'].map((property) => ({
            object: 'vi',
            property,
            message: 'Use expect.poll, or until for a value: their bound is what only a hang exceeds.',
          })),
        ],
      },
    },
    {
      // Without wechaty its types are unknown here, which these rules would read as a mistake.
      files: ['test/bots/wechat/**'],
      rules: {
        'typescript/no-redundant-type-constituents': 'off',
        'typescript/no-unnecessary-type-assertion': 'off',
      },
    },
    { files: ['test/**/vitest.config.ts'], rules: { 'import/no-default-export': 'off' } },
  ],
  ignorePatterns: ['dist/**', 'node_modules/**'],
}
