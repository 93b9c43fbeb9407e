import { ANY, OPEN, STAR, TEMPORARY } from './reading/value.ts'

/**
 * The kinds of places: `key` holds keys and tokens; `maybe-key` can hold some; `start` is run by itself, by
 * the machine, a shell, git, an agent or a pipeline; `rights` says who may do what; `records` is the history
 * of a project or the record of what happened.
 */
type Kind = 'key' | 'maybe-key' | 'start' | 'rights' | 'records'

interface Place {
  readonly kind: Kind
  /** Matches a path in normal form at its end. */
  readonly pattern: RegExp
  /** Files at the place, for a file name pattern that can mean one of them. */
  readonly samples: readonly string[]
}

const place = (kind: Kind, source: string, ...samples: string[]): Place => ({
  kind,
  pattern: new RegExp(`(?:^|/)(?:${source})$`, 'i'),
  samples,
})

/** A template or a public part stands at the place of a key, and is none. */
const harmless =
  /\.(?:pub|example|sample|template|tmpl|dist|defaults?|schema)$|(?:^|[/.])(?:example|sample)\.env$|\.env\.(?:example|sample|template|dist|defaults?)(?:\.\w+)?$/i

const browsers = String.raw`(?:google-chrome|google/chrome|chromium|bravesoftware|microsoft-edge|microsoft edge|opera|vivaldi|firefox|mozilla)`

const places: readonly Place[] = [
  // Keys of a person.
  place(
    'key',
    String.raw`\.ssh(?:/(?!config$|known_hosts|authorized_keys)[^/]*)?`,
    '.ssh/id_rsa',
    '.ssh/id_ed25519',
  ),
  place('key', String.raw`(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|identity)`, 'id_rsa', 'id_ed25519'),
  place('key', String.raw`etc/ssh/ssh_host_\w+_key`),
  place('key', String.raw`\.gnupg(?:/.*)?`, '.gnupg/secring.gpg'),
  place('key', String.raw`\.password-store(?:/.*)?`),
  // Environments with tokens.
  place('key', String.raw`\.env(?:\.[\w.-]+)?`, '.env', '.env.local', '.env.production'),
  place('key', String.raw`[\w-]+\.env`, 'prod.env'),
  place('key', String.raw`\.envrc|\.flaskenv|\.dev\.vars|\.secrets?`, '.envrc'),
  place('key', String.raw`proc/(?:self|\d+|[${OPEN}${STAR}])/(?:environ|mem)`, 'proc/1/environ'),
  // Logins of programs.
  place('key', String.raw`[._]netrc`, '.netrc'),
  place('key', String.raw`\.git-credentials|git/credentials`, '.git-credentials'),
  place(
    'key',
    String.raw`\.pgpass|\.my\.cnf|\.mylogin\.cnf|\.mongorc\.js|\.rediscli_auth|\.dbshell`,
    '.pgpass',
  ),
  place(
    'key',
    String.raw`\.(?:npmrc|yarnrc(?:\.yml)?|pypirc|gem/credentials|s3cfg|boto|dockercfg|vault-token|terraformrc|bowerrc|htpasswd)`,
    '.npmrc',
    '.pypirc',
  ),
  place(
    'key',
    String.raw`\.cargo/credentials(?:\.toml)?|\.m2/settings(?:-security)?\.xml|\.gradle/gradle\.properties|\.nuget/nuget\.config|\.config/nuget/nuget\.config|\.composer/auth\.json|\.bundle/config|\.cabal/config`,
  ),
  place('key', String.raw`\.terraform\.d/credentials\.tfrc\.json|terraform\.tfstate(?:\.backup)?`),
  place(
    'key',
    String.raw`\.subversion/auth(?:/.*)?|\.(?:lftprc|fetchmailrc|msmtprc|authinfo(?:\.gpg)?|rhosts|xauthority|iceauthority|vault_pass(?:word)?(?:\.txt)?)|vault_pass(?:word)?(?:\.txt)?|\.tsh(?:/.*)?|\.wrangler/config(?:/.*)?|\.minikube/.*\.key|\.purple/accounts\.xml`,
    '.authinfo',
  ),
  // The settings of a program, where their names say what they hold.
  place(
    'key',
    String.raw`(?:\.config|\.cache|\.local/share|application support)/(?:.*/)?[\w.-]*(?:auth|tokens?|credentials?|secrets?|cookies|login data|passwords?|sitemanager|accounts?|wallets?)[\w.-]*`,
  ),
  place('key', String.raw`\.config/(?:gopass|keybase|argocd|filezilla|signal)(?:/.*)?`),
  // Clouds and clusters.
  place('key', String.raw`\.aws(?:/(?:credentials|sso/cache|cli/cache)(?:/.*)?)?`, '.aws/credentials'),
  place('key', String.raw`\.azure(?:/.*)?|\.config/azure(?:/.*)?`, '.azure/accessTokens.json'),
  place(
    'key',
    String.raw`(?:\.config/)?gcloud(?:/(?:application_default_credentials\.json|credentials\.db|access_tokens\.db|legacy_credentials(?:/.*)?))?|application_default_credentials\.json`,
    '.config/gcloud/application_default_credentials.json',
  ),
  place(
    'key',
    String.raw`\.oci(?:/.*)?|\.bluemix(?:/.*)?|\.aliyun/config\.json|\.tccli/.*|\.linode-cli|\.config/(?:doctl|hcloud|linode-cli|fly|scw|op|rclone|hub|gh|glab-cli|heroku|netlify|stripe|configstore)(?:/.*)?|\.(?:doctl|fly|vercel|netlify|railway|supabase|heroku|op|snowsql|databrickscfg|kaggle|huggingface)(?:/.*)?`,
    '.config/gh/hosts.yml',
  ),
  place(
    'key',
    String.raw`\.kube(?:/(?:config|cache)(?:/.*)?)?|\.kube/[^/]*|kubeconfig(?:\.ya?ml)?|etc/kubernetes/(?:[\w-]+\.conf|pki(?:/.*)?)|etc/rancher/k3s/k3s\.yaml|k0s/pki/.*|kubelet\.conf`,
    '.kube/config',
  ),
  place(
    'key',
    String.raw`\.docker/config\.json|containers/auth\.json|run/secrets(?:/.*)?|var/run/secrets(?:/.*)?`,
    '.docker/config.json',
  ),
  place(
    'key',
    String.raw`service[_-]?account[\w-]*\.json|client_secrets?[\w.-]*\.json|credentials\.json|[\w-]*credentials?\.(?:ini|ya?ml|toml|xml|csv|cfg|conf)|secrets?\.(?:ya?ml|json|toml|ini|env|cfg|conf|properties|txt|py|rb|js|ts)|wp-config\.php|config/master\.key|master\.key|config/secrets\.yml|htpasswd|passwords?\.(?:txt|csv|kdbx?|ya?ml|json|xlsx?)`,
    'credentials.json',
    'secrets.yaml',
  ),
  // Stores of passwords, sessions and money.
  place(
    'key',
    String.raw`.*\.(?:kdbx?|agilekeychain|1pif|opvault|keychain(?:-db)?|jks|keystore|ppk|p12|pfx|ovpn|wallet)`,
    'x.kdbx',
  ),
  place(
    'key',
    String.raw`(?:library/)?keychains(?:/.*)?|\.local/share/keyrings(?:/.*)?|\.gnome2/keyrings(?:/.*)?|\.local/share/kwalletd(?:/.*)?`,
  ),
  place(
    'key',
    String.raw`(?:.*/)?${browsers}(?:/.*)?/(?:login data|cookies|web data|local state|key[34]\.db|logins\.json|cookies\.sqlite|signons\.sqlite)|key4\.db|logins\.json|cookies\.sqlite|login data`,
    '.config/google-chrome/Default/Login Data',
  ),
  place(
    'key',
    String.raw`\.mozilla(?:/.*)?|\.config/(?:google-chrome|chromium|bravesoftware|microsoft-edge)(?:/.*)?`,
  ),
  place(
    'key',
    String.raw`wallet\.dat|\.(?:bitcoin|ethereum|electrum|exodus|monero|zcash|litecoin|solana|sui|aptos|near-credentials|foundry/keystores)(?:/.*)?|keystore/utc--.*|\.config/solana/id\.json|[\w-]*(?:seed|mnemonic)[\w-]*\.txt`,
    '.bitcoin/wallet.dat',
  ),
  // Agents and their tokens.
  place(
    'key',
    String.raw`\.claude/\.credentials\.json|\.claude\.json|\.codex/auth\.json|\.gemini/(?:oauth_creds|google_accounts)\.json|\.copilot/config\.json|\.config/github-copilot/.*|\.local/share/opencode/auth\.json|\.kimi[\w-]*/credentials.*|\.openai(?:/.*)?|\.anthropic(?:/.*)?|\.hookgate/secrets(?:/.*)?|\.openclaw/credentials(?:/.*)?|\.hermes/\.env`,
  ),
  // The machine's own.
  place(
    'key',
    String.raw`etc/(?:shadow|gshadow|master\.passwd|sudoers(?:\.d(?:/.*)?)?|krb5\.keytab|ssl/private(?:/.*)?|letsencrypt/(?:live|archive|accounts)(?:/.*)?|wireguard(?:/.*)?|openvpn/.*\.key|ppp/(?:chap|pap)-secrets|networkmanager/system-connections(?:/.*)?|netplan/.*\.ya?ml|security/opasswd|machine-id\.key)-?`,
    'etc/shadow',
  ),
  place(
    'key',
    String.raw`var/lib/(?:docker/swarm|vault|kubelet/pki|sss/db|samba/private)(?:/.*)?|windows/system32/config/(?:sam|system|security)|ntds\.dit|\.bash_history|\.zsh_history|\.(?:python|node_repl|psql|mysql|rediscli|irb)_history`,
    '.bash_history',
  ),
  // These count when they are sent.
  place(
    'maybe-key',
    String.raw`.*\.(?:pem|key|crt\.key|asc|gpg|pkcs8|der|tfvars(?:\.json)?|keytab)`,
    'server.key',
    'x.pem',
  ),
  place('maybe-key', String.raw`(?:certs?|keys?|private|secrets?|credentials?|pki|tls|ssl)(?:/.*)?`),
  place(
    'maybe-key',
    String.raw`etc/(?:passwd|group|hosts|ssh/.*)|\.ssh/(?:config|known_hosts|authorized_keys)`,
  ),
  place(
    'maybe-key',
    String.raw`[\w.-]*(?:token|secret|password|credential|apikey|api_key|private)[\w.-]*`,
    'token.txt',
  ),
  // What runs by itself.
  place(
    'start',
    String.raw`\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|xinitrc|xprofile|xsession(?:rc)?|inputrc|pam_environment)`,
    '.bashrc',
    '.zshrc',
  ),
  place(
    'start',
    String.raw`\.config/(?:fish/(?:config\.fish|conf\.d/.*|functions/.*)|autostart(?:/.*)?|systemd/user(?:/.*)?|environment\.d/.*|powershell/.*\.ps1|nushell/.*)|powershell_profile\.ps1`,
    '.config/fish/config.fish',
  ),
  place(
    'start',
    String.raw`etc/(?:profile|bash\.bashrc|bashrc|zsh/.*|zshrc|environment|rc\.local|inittab|crontab|anacrontab|cron\.\w+(?:/.*)?|profile\.d/.*|init\.d/.*|systemd/.*|udev/rules\.d/.*|xdg/autostart/.*|ld\.so\.(?:preload|conf(?:\.d/.*)?)|modules(?:-load\.d/.*)?|update-motd\.d/.*|apt/apt\.conf\.d/.*|logrotate\.d/.*|dbus-1/.*|launchd\.conf)|(?:usr/)?lib/systemd/.*|var/spool/(?:cron|at)(?:/.*)?`,
    'etc/crontab',
    'etc/cron.d/x',
  ),
  place(
    'start',
    String.raw`library/(?:launchagents|launchdaemons|startupitems)(?:/.*)?|start menu/programs/startup/.*`,
  ),
  place(
    'start',
    String.raw`\.git/(?:hooks(?:/.*)?|config)|\.husky(?:/.*)?|\.githooks(?:/.*)?|\.gitconfig|\.config/git/(?:config|hooks/.*)|etc/gitconfig`,
    '.git/hooks/pre-commit',
    '.gitconfig',
  ),
  place(
    'start',
    String.raw`\.github/(?:workflows|actions)(?:/.*)?|\.gitlab-ci\.yml|\.circleci/.*|\.travis\.yml|jenkinsfile|azure-pipelines\.ya?ml|bitbucket-pipelines\.yml|\.drone\.yml|\.buildkite/.*`,
  ),
  place(
    'start',
    String.raw`\.ssh/(?:authorized_keys2?|rc|config|environment)|etc/ssh/sshd?_config(?:\.d/.*)?`,
    '.ssh/authorized_keys',
  ),
  place(
    'start',
    String.raw`\.(?:claude|codex|gemini|cursor|copilot|kimi[\w-]*|factory|opencode)/(?:settings(?:\.local)?\.json|config\.(?:toml|json)|hooks(?:/.*|\.json)?|mcp\.json|permissions.*)|\.claude\.json|\.config/opencode/.*|\.mcp\.json|\.github/hooks(?:/.*)?|\.agents/hooks(?:/.*)?|shell_hooks\.yaml|\.hookgate(?:/.*)?|managed-settings\.json`,
    '.claude/settings.json',
  ),
  place(
    'start',
    String.raw`\.vscode/(?:tasks|settings|launch)\.json|\.idea/runconfigurations/.*|\.devcontainer(?:/.*)?`,
  ),
  place(
    'start',
    String.raw`(?:sitecustomize|usercustomize)\.py|site-packages/.*\.pth|\.pythonrc(?:\.py)?|\.vimrc|\.exrc|\.nanorc|\.emacs|\.tmux\.conf|\.config/nvim/.*|\.ipython/.*startup.*`,
    '.vimrc',
  ),
  // Who may do what.
  place(
    'rights',
    String.raw`etc/(?:passwd|shadow|group|gshadow|sudoers(?:\.d(?:/.*)?)?|doas\.conf|pam\.d(?:/.*)?|security/.*|polkit-1/.*|hosts(?:\.(?:allow|deny))?|resolv\.conf|nsswitch\.conf|selinux/.*|apparmor\.d/.*|fstab|exports|sysctl\.(?:conf|d/.*)|iptables/.*|nftables\.conf|ufw/.*|docker/daemon\.json|login\.defs|securetty|shells|krb5\.conf|ssl/certs/.*|modprobe\.d/.*|default/grub|grub\.d/.*|hostname|network/.*)-?`,
    'etc/passwd',
    'etc/sudoers',
  ),
  place(
    'rights',
    String.raw`boot(?:/.*)?|windows/system32/.*|proc/sys/.*|proc/sysrq-trigger|sys/(?!fs/cgroup/user).*|dev/(?:k?mem|port)`,
  ),
  // The history of a project, and the record of what happened.
  place(
    'records',
    String.raw`\.git(?:/(?!index\.lock$|hooks(?:/|$)|config$|info(?:/|$)|description$).*)?|\.hg(?:/.*)?|\.svn(?:/.*)?|\.jj(?:/.*)?`,
    '.git',
  ),
  place('records', String.raw`var/log(?:/.*)?|\.hookgate/logs?(?:/.*)?`),
]

/** The path without what resolves itself. A home folder of anybody becomes `~`. */
export const normal = (name: string, cwd: string): string => {
  let path = name.replace(/^file:\/\//i, '')
  // A drive of Windows, as its own programs, WSL, Cygwin and Git write it.
  if (/^(?:[a-z]:[\\/]|\/(?:mnt|cygdrive)\/[a-z](?:\/|$))/i.test(path))
    path = path.replaceAll('\\', '/').replace(/^(?:[a-z]:|\/(?:mnt|cygdrive)\/[a-z])\/?/i, '/')
  if (path.startsWith('~')) path = path.replace(/^~[\w.-]*/, '~')
  else if (!path.startsWith('/') && !path.startsWith(TEMPORARY) && !path.startsWith(OPEN))
    path = `${cwd}/${path}`
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  const first = parts[0] ?? ''
  const isRooted = first !== '~' && first !== TEMPORARY && !first.startsWith(OPEN)
  const whole = (isRooted ? '/' : '') + parts.join('/')
  return whole
    .replace(/^\/(?:home|Users|var\/home)\/[^/]+(?=\/|$)/, '~')
    .replace(/^\/(?:var\/)?root(?=\/|$)/, '~')
    .replace(
      /^(?:\/private)?\/(?:var\/)?tmp(?=\/)|^\/(?:private\/)?var\/folders\/[^/]+\/[^/]+\/T(?=\/)|^\/dev\/shm(?=\/)/,
      TEMPORARY,
    )
}

const special = /[.+^$(){}|\\[\]]/g

/** A pattern for what the shell can find by the path. Undefined where the path has no file name pattern. */
export const globOf = (path: string): RegExp | undefined =>
  path.includes(STAR) || path.includes(ANY)
    ? new RegExp(
        `^${path
          .replaceAll(special, String.raw`\$&`)
          .replaceAll(new RegExp(`${STAR}+`, 'g'), '[^/]*')
          .replaceAll(ANY, '[^/]?')}$`,
      )
    : undefined

const maxPathUnits = 512

const none: ReadonlySet<Kind> = new Set()

/** Commands name the same paths again and again. */
const seen = new Map<string, ReadonlySet<Kind>>()

const maxSeen = 1000

/** The kinds of places at which a path in normal form can be. */
export const kindsOf = (path: string): ReadonlySet<Kind> => {
  const known = seen.get(path)
  if (known !== undefined) return known
  const kinds = path === '' || path === OPEN || path.length > maxPathUnits ? none : kindsAt(path)
  if (seen.size >= maxSeen) seen.clear()
  seen.set(path, kinds)
  return kinds
}

const kindsAt = (path: string): ReadonlySet<Kind> => {
  const found = new Set<Kind>()
  const plain = path.replaceAll(STAR, '').replaceAll(ANY, '')
  if (harmless.test(path)) return found
  const last = path.slice(path.lastIndexOf('/') + 1)
  const glob = last === STAR ? undefined : globOf(last)
  for (const { kind, pattern, samples } of places) {
    if (found.has(kind)) continue
    if (
      pattern.test(path) ||
      (plain !== path && last !== STAR && pattern.test(plain)) ||
      (glob !== undefined &&
        samples.some((sample) => glob.test(sample.slice(sample.lastIndexOf('/') + 1)) && plain.length > 3))
    )
      found.add(kind)
  }
  return found
}
