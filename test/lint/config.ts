/** One folder of code, and what it may import of the others. */
interface ImportRule {
  readonly files: readonly string[]
  /** Folders of `src` and of `bots`, besides its own and `src/model`, that these files may import. */
  readonly may: readonly string[]
  readonly message: string
  readonly mayUseMessengers?: true
}

const modules = [
  'agents',
  'attack',
  'backup',
  'bridge',
  'commands',
  'config',
  'dialects',
  'dispatcher',
  'doctor',
  'gatekeeper',
  'history',
  'hooks',
  'inbox',
  'node',
  'permissions',
  'isolation',
  'server',
  'service',
  'store',
]
const bots = ['feishu', 'memory', 'telegram', 'web', 'wechat']
/** These wire the modules together, and no module imports them. */
const wiring = ['cli', 'compose', 'index', 'main']
const everything = [...modules, ...wiring, ...bots, 'bots']

/** The star: each module imports the vocabulary and its own folder, and functions are passed to it. */
const importRules: readonly ImportRule[] = [
  ...modules.map((module) => ({
    files: [`src/${module}/**`],
    may: [],
    message: `${module} imports only model and its own folder; what it needs of others is passed to it as functions.`,
  })),
  ...bots.map((bot) => ({
    files: [`bots/${bot}/**`],
    may: [],
    message: 'A bot imports only src/model and its own folder.',
    mayUseMessengers: true as const,
  })),
  {
    files: ['src/compose/**'],
    may: [...modules, ...bots, 'bots'],
    message: 'A chapter imports no program.',
  },
  {
    files: ['src/main.ts'],
    may: ['compose'],
    message: 'main.ts names the chapters of compose/ and imports nothing else.',
  },
  {
    files: ['src/cli.ts', 'src/cli/**', 'src/index.ts'],
    may: [...modules, ...wiring],
    message: 'Only compose/ imports bots.',
  },
]

const messengers = {
  regex: '^(grammy|@grammyjs/.*|@larksuiteoapi/.*|wechaty.*)$',
  message: "Only bots/ may import a messenger's library.",
}

/** The programs of `src` are files; everything else that is imported across is a folder. */
const programs = ['cli', 'index', 'main']

const importOverride = ({ files, may, message, mayUseMessengers }: ImportRule) => {
  const own = files.map((pattern) => pattern.split('/')[1]?.replace('.ts', ''))
  const closed = everything.filter((name) => !may.includes(name) && !own.includes(name))
  const closedFolders = closed.filter((name) => !programs.includes(name)).join('|')
  const closedPrograms = closed.filter((name) => programs.includes(name)).join('|')
  const regex = String.raw`^(\.{1,2}/)+((src|bots)/)?(${closedFolders})/|^(\.{1,2}/)+(src/)?(${closedPrograms})\.ts$`
  return {
    files,
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex, message }, ...(mayUseMessengers ? [] : [messengers])] },
      ],
    },
  }
}

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
    {
      files: ['src/model/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              { regex: String.raw`^\.\./\.\./`, message: 'model imports nothing of ours.' },
              { regex: '^[^.]', message: 'model imports no package.' },
            ],
          },
        ],
      },
    },
    ...importRules.map(importOverride),
    {
      files: ['src/**', 'bots/**'],
      rules: { 'max-lines-per-function': lines(150) },
    },
    {
      // A chapter takes what exists already. What flows back is a subscription.
      files: ['src/main.ts', 'src/compose/**', 'src/dispatcher/**'],
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
