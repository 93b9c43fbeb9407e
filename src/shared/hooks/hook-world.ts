import { prose, type Prose, verbatim } from '../../core/model/chat/prose.ts'
import type { Separation } from '../gate/separation.ts'

/** The environment of every hook program, whoever wrote it. */
export interface HookWorld {
  /** The PATH of hooks. No agent can write to any of its folders. */
  readonly path: string
  /** Folders of hookgate's own PATH that are not included, each with the reason as a clause. */
  readonly leftOut: readonly { readonly folder: string; readonly why: string }[]
  /** The HOME of hooks: a persistent folder of the hooks' user that no agent can read or write. */
  readonly home: string
  /** The TMPDIR of hooks. */
  readonly tmpdir: string
  /** The folder in which an owner finds the temporary files of hooks. */
  readonly tmp: string
}

/** The line that tells an owner where hooks store their files. */
export const placesLine = ({ home, tmp, tmpdir }: Pick<HookWorld, 'home' | 'tmp' | 'tmpdir'>): Prose =>
  tmp === tmpdir
    ? prose`Hooks store lasting files in ${verbatim(home)} (their HOME) and temporary files in ${verbatim(tmp)} (their TMPDIR); /tmp is the machine’s own.`
    : prose`Hooks store lasting files in ${verbatim(home)} (their HOME). Files that they write to ${verbatim(tmpdir)} are stored in ${verbatim(tmp)} and last, too.`

/** The part of the environment that is shown to somebody who tries a hook outside the gate. */
export type ToldWorld = Pick<HookWorld, 'path'> & {
  /** The USER variable of hooks. */
  readonly user: string
  readonly lang: string
  readonly tz?: string
  readonly workspace: string
  readonly separation: Separation['kind']
}

/** Families of variables that make a program load or start something else, as regular expressions. */
const refusedFamilies: readonly string[] = [
  // The dynamic loader, libraries, character sets and translations.
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
  // The places of a program's own configuration, and variables that the gate sets itself.
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
  // Tools that start programs named by a variable or by their configuration.
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

/** The best-known ones, for an error message. */
export const refusedInWords =
  'HOME, PATH, LD_*, PYTHON*, GIT_*, NODE_*, BASH_*, XDG_*, HOOKGATE_* and the like are refused'

/**
 * Variables that would let an entry, or the list in gate.yaml, replace the approved program, or that only the
 * gate may set. A name that ends like a token or password is allowed, since it loads nothing.
 */
export const refusedVariable = new RegExp(
  `^(?!.*_(?:TOKEN|KEY|SECRET|PASSWORD)$)(?:${refusedFamilies.join('|')})$`,
)

/**
 * Names of variables that many programs use to find what they load, whom they trust, or which proxy they use.
 */
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

/** True for a variable of a hook that an owner should check carefully. */
export const isLoadingVariable = (name: string): boolean => loadingShape.test(name)

/**
 * The folders of the system's programs. They come first in the PATH, so that no folder of a home can override
 * them.
 */
export const systemFolders: readonly string[] = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/opt/homebrew/bin',
]
