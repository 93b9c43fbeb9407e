import type { Separation } from '../gate/separation.ts'

/** What every program of a hook finds around it, whoever its author is. */
export interface HookWorld {
  /** Where it finds programs. Every folder of it is one that no agent can write. */
  readonly path: string
  /** Folders of the PATH that hookgate was started with that are not on it, each with the reason as a clause. */
  readonly leftOut: readonly { readonly folder: string; readonly why: string }[]
  /** Its HOME: a folder of the hooks' user, which no agent can read or write, and which lasts. */
  readonly home: string
  /** Where it puts temporary files. */
  readonly tmpdir: string
  /** The folder in which an owner finds what hooks put there. */
  readonly tmp: string
}

/** Where an owner finds what hooks wrote. */
export const placesLine = ({ home, tmp, tmpdir }: Pick<HookWorld, 'home' | 'tmp' | 'tmpdir'>): string =>
  tmp === tmpdir
    ? `Hooks keep what lasts in ${home}, their HOME, and temporary files in ${tmp}, their TMPDIR; /tmp is the machine’s own.`
    : `Hooks keep what lasts in ${home}, their HOME. What they write to ${tmpdir} lies in ${tmp} and lasts, too.`

/** What of it somebody is told who tries a hook outside of the gate. */
export type ToldWorld = Pick<HookWorld, 'path'> & {
  /** What hooks find as USER. */
  readonly user: string
  readonly lang: string
  readonly tz?: string
  readonly workspace: string
  readonly separation: Separation['kind']
}

/** Families of variables by which a program is made to load or start something else, as regular expressions. */
const refusedFamilies: readonly string[] = [
  // What loads every program, and where it looks for its libraries, character sets and words.
  'LD_.*',
  'DYLD_.*',
  'GCONV_PATH',
  'LOCPATH',
  'NLSPATH',
  'GLIBC_.*',
  'MALLOC_.*',
  'HOSTALIASES',
  'LOCALDOMAIN',
  'RES_OPTIONS',
  'TERMCAP',
  'TERMINFO.*',
  'TZDIR',
  'NIX_.*',
  'QT_.*',
  'GTK_.*',
  'GIO_.*',
  'GST_.*',
  'GDK_.*',
  'SASL_PATH',
  'KRB5.*',
  'ODBC.*',
  // Where a program finds its own configuration, and what the gate sets itself.
  'HOME',
  'PATH',
  'HOOKGATE_.*',
  'TMPDIR',
  'TMP',
  'TEMP',
  'PWD',
  'OLDPWD',
  'XDG_.*',
  'ZDOTDIR',
  // Shells.
  'BASH_.*',
  'BASHOPTS',
  'ENV',
  'IFS',
  'SHELLOPTS',
  'CDPATH',
  'FPATH',
  'PS4',
  'PROMPT_COMMAND',
  'GLOBIGNORE',
  'INPUTRC',
  'ZSH.*',
  // Languages.
  'PYTHON.*',
  'VIRTUAL_ENV',
  'CONDA.*',
  'PIP_.*',
  'UV_.*',
  'PERL.*',
  'RUBY.*',
  'GEM_.*',
  'BUNDLE_.*',
  'LUA_.*',
  'TCL.*',
  'NODE_(?!ENV$).*',
  'NPM_.*',
  'npm_.*',
  'YARN_.*',
  'PNPM_.*',
  'BUN_.*',
  'DENO_.*',
  'TSX_.*',
  'TS_NODE_.*',
  'ELECTRON_.*',
  'PHPRC',
  'PHP_.*',
  'COMPOSER_.*',
  'JAVA_.*',
  '_JAVA_.*',
  'JDK_.*',
  'CLASSPATH',
  'MAVEN_.*',
  'GRADLE_.*',
  'DOTNET_.*',
  'CORECLR_.*',
  'COMPlus_.*',
  'COR_.*',
  'MONO_.*',
  'GO(?:FLAGS|ENV|ROOT|PATH|TOOLCHAIN|PROXY|WORK)',
  'RUSTFLAGS',
  'RUSTC.*',
  'RUSTUP_.*',
  'CARGO.*',
  'R_(?:PROFILE|ENVIRON|LIBS|HOME).*',
  'JULIA_.*',
  'GUILE_.*',
  'ERL_.*',
  'ELIXIR_.*',
  'MIX_.*',
  'OCAML.*',
  'CAML_.*',
  'GHC.*',
  'AWKPATH',
  'AWKLIBPATH',
  'GAWK_.*',
  'M4PATH',
  // Tools that start what a variable or their configuration names.
  'GIT_.*',
  'SSH_.*',
  'SUDO_.*',
  'GPG.*',
  'GNUPG.*',
  'CURL_HOME',
  'WGETRC',
  'NETRC',
  'OPENSSL_.*',
  'SSLKEYLOGFILE',
  'DOCKER_.*',
  'GH_CONFIG_DIR',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'CLOUDSDK_.*',
  'CLAUDE_CONFIG_DIR',
  'KUBECONFIG',
  'MAKEF.*',
  'EDITOR',
  'VISUAL',
  'PAGER',
  'BROWSER',
  'SHELL',
  '.*_(?:EDITOR|PAGER|ASKPASS|SHELL)',
  'LESS(?:OPEN|CLOSE|KEY.*|EDIT)?',
  'MANPAGER',
  'RIPGREP_CONFIG_PATH',
  'FZF_.*',
  'BAT_.*',
  'VIM.*',
  'EXINIT',
  'EMACS.*',
  'BC_ENV_ARGS',
  'DC_ENV_ARGS',
  'GREP_OPTIONS',
]

/** The best known of them, for whoever wrote one. */
export const refusedInWords =
  'HOME, PATH, LD_*, PYTHON*, GIT_*, NODE_*, BASH_*, XDG_*, HOOKGATE_* and the like are refused'

/**
 * Variables that would let an entry, or gate.yaml's list of them, replace the program that an owner approved, or that are
 * the gate's own to set. A token or a password among them loads nothing.
 */
export const refusedVariable = new RegExp(
  `^(?!.*_(?:TOKEN|KEY|SECRET|PASSWORD)$)(?:${refusedFamilies.join('|')})$`,
)

/** Names of a shape by which many programs find what they load, whom they trust, or through whom they speak. */
const loadingShape = new RegExp(
  [
    '(?:PATH|HOME|DIR|ROOT|RC|CONF|CONFIG|INIT|OPTS|OPTIONS|FLAGS|ARGS)$',
    '(?:PRELOAD|PLUGINS?|MODULES?|LIBS?|PROXY|BUNDLE|COMMAND|CMD|EXEC)$',
    '^SSL_',
    '^CC$',
    '^CXX$',
    '^AWS_',
    '^GH_',
  ].join('|'),
  'i',
)

/** True for a variable of a hook's own that an owner should look at twice. */
export const isLoadingVariable = (name: string): boolean => loadingShape.test(name)

/** The folders of the system's own programs. They come first, so that nothing of a home can stand before them. */
export const systemFolders: readonly string[] = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/opt/homebrew/bin',
]
