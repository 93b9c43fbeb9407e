import { ANY, OPEN, STAR, TEMPORARY, type Value } from './reading/value.ts'

/**
 * The places that matter, by kind. `key` holds keys and tokens; `maybe-key` can hold some, and counts when it
 * is sent; `start` is run by itself, by the machine, a shell, git, an agent or a pipeline; `rights` says who
 * may do what; `records` is the history of a project or the record of what happened.
 *
 * A name counts wherever it stands, and one that begins with `/` at the root. `*` stands for a part of a
 * name, `{a,b}` for one of several, `_` for a space, and a `/` at the end for the folder with all that is in
 * it. `!` says that a place is none of the kind.
 */
const table = {
  key: `
    .ssh/ !.ssh/config !.ssh/known_hosts* !.ssh/authorized_keys* !.ssh/authorized_keys.d/
    id_{rsa,dsa,ecdsa,ed25519} id_{ecdsa,ed25519}_sk /etc/ssh/ssh_host_*_key .gnupg/ .password-store/

    .env .env.* *.env .envrc .flaskenv .dev.vars .secret .secrets /proc/*/environ /proc/*/mem

    .netrc _netrc .git-credentials git/credentials .pgpass .my.cnf .mylogin.cnf .mongorc.js .rediscli_auth
    .npmrc .yarnrc .yarnrc.yml .pypirc .gem/credentials .s3cfg .boto .dockercfg .vault-token .terraformrc
    .htpasswd htpasswd .cargo/credentials .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml
    .gradle/gradle.properties .nuget/nuget.config .config/nuget/nuget.config .composer/auth.json .bundle/config
    .cabal/config .terraform.d/credentials.tfrc.json terraform.tfstate terraform.tfstate.backup
    .subversion/auth/ .lftprc .fetchmailrc .msmtprc .authinfo .authinfo.gpg .rhosts .xauthority .iceauthority
    {.,}vault_pass{,word}{,.txt} .tsh/ .wrangler/config/ .minikube/*.key .purple/accounts.xml

    {.config,.cache,.local/share,application_support}/{,**/}*{auth,token,credential,secret,cookies,password}*
    {.config,.local/share,application_support}/{,**/}{login_data,sitemanager*,account*,wallet*}
    .config/{gopass,keybase,argocd,filezilla,signal}/

    .aws .aws/credentials .aws/sso/cache/ .aws/cli/cache/ .azure/ .config/azure/ .config/gcloud
    gcloud/{application_default_credentials.json,credentials.db,access_tokens.db,legacy_credentials/}
    application_default_credentials.json .oci/ .bluemix/ .aliyun/config.json .tccli/ .linode-cli
    .config/{doctl,hcloud,linode-cli,fly,scw,op,rclone,hub,gh,glab-cli,heroku,netlify,stripe,configstore}/
    .{doctl,fly,vercel,netlify,railway,supabase,heroku,op,snowsql,kaggle,huggingface}/ .databrickscfg
    .kube .kube/config .kube/*config* .kube/cache/ kubeconfig kubeconfig.y{,a}ml kubelet.conf
    /etc/kubernetes/*.conf /etc/kubernetes/pki/ /etc/rancher/k3s/k3s.yaml k0s/pki/
    .docker/config.json containers/auth.json /run/secrets/ /var/run/secrets/

    service{,-,_}account*.json client_secret*.json credentials.json *credentials.{ini,yml,yaml,toml,xml,csv,cfg,conf}
    *credential.{ini,yml,yaml,toml,xml,csv} secret{,s}.{yml,yaml,json,toml,ini,env,cfg,conf,properties,txt}
    wp-config.php master.key config/secrets.yml password{,s}.{txt,csv,kdb,kdbx,yml,json,xlsx}

    *.{kdb,kdbx,agilekeychain,1pif,opvault,keychain,keychain-db,jks,keystore,ppk,p12,pfx,ovpn,wallet}
    keychains/ .local/share/{keyrings,kwalletd}/ .gnome2/keyrings/
    key3.db key4.db logins.json cookies.sqlite signons.sqlite login_data .mozilla/
    .config/{google-chrome,chromium,bravesoftware,microsoft-edge,opera,vivaldi}/
    {google/chrome,chromium,bravesoftware,microsoft_edge,firefox}/**/{cookies,web_data,local_state}

    wallet.dat *seed*.txt *mnemonic*.txt keystore/utc--* .config/solana/id.json .foundry/keystores/
    .{bitcoin,ethereum,electrum,exodus,monero,zcash,litecoin,solana,sui,aptos,near-credentials}/

    .claude/.credentials.json .claude.json .codex/auth.json .gemini/{oauth_creds,google_accounts}.json
    .copilot/config.json .config/github-copilot/ .local/share/opencode/auth.json .kimi*/credentials*
    .openai/ .anthropic/ .hookgate/secrets/ .openclaw/credentials/ .hermes/.env

    /dev/input/ /dev/uinput /dev/hidraw*
    /etc/{shadow,gshadow}{,-} /etc/master.passwd /etc/sudoers /etc/sudoers.d/ /etc/krb5.keytab /etc/ssl/private/
    /etc/letsencrypt/{live,archive,accounts}/ /etc/wireguard/ /etc/openvpn/**/*.key /etc/ppp/{chap,pap}-secrets
    /etc/networkmanager/system-connections/ /etc/netplan/ /etc/security/opasswd
    /var/lib/{docker/swarm,vault,kubelet/pki,sss/db,samba/private}/ ntds.dit
    windows/system32/config/{sam,system,security} .{bash,zsh,python,node_repl,psql,mysql,rediscli,irb}_history
  `,
  'maybe-key': `
    *.{pem,key,asc,gpg,pkcs8,der,tfvars,tfvars.json,keytab}
    {cert,certs,key,keys,private,secret,secrets,credential,credentials,pki,tls,ssl}/
    /etc/{passwd,group,hosts} /etc/ssh/ .ssh/{config,known_hosts,authorized_keys}
    *{token,secret,password,credential,apikey,api_key,private}*
  `,
  start: `
    .{bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile,login,inputrc,pam_environment}
    .{zshrc,zshenv,zprofile,zlogin,zlogout,kshrc,cshrc,tcshrc,xinitrc,xprofile,xsession,xsessionrc}
    .config/fish/{config.fish,conf.d/,functions/} .config/{autostart,systemd/user,environment.d,nushell}/
    .config/powershell/*.ps1 *powershell_profile.ps1
    /etc/{profile,bash.bashrc,bashrc,zshrc,environment,rc.local,inittab,crontab,anacrontab,launchd.conf}
    /etc/{zsh,profile.d,init.d,systemd,udev/rules.d,xdg/autostart,ld.so.conf.d,modules-load.d}/ /etc/cron.*/
    /etc/{update-motd.d,apt/apt.conf.d,logrotate.d,dbus-1}/ /etc/ld.so.{preload,conf} /etc/modules
    /lib/systemd/ /usr/lib/systemd/ /var/spool/{cron,at}/
    library/{launchagents,launchdaemons,startupitems}/ start_menu/programs/startup/
    .git/hooks/ .git/config .husky/ .githooks/ .gitconfig .config/git/{config,hooks/} /etc/gitconfig
    .github/{workflows,actions}/ .gitlab-ci.yml .circleci/ .travis.yml jenkinsfile azure-pipelines.y{,a}ml
    bitbucket-pipelines.yml .drone.yml .buildkite/
    .ssh/{authorized_keys,authorized_keys2,rc,config,environment} /etc/ssh/ssh{,d}_config /etc/ssh/ssh{,d}_config.d/
    .{claude,codex,gemini,cursor,copilot,kimi*,factory,opencode}/{settings,settings.local,config,hooks,mcp}.json
    .{claude,codex,gemini,cursor,copilot,kimi*,factory,opencode}/{config.toml,hooks/,permissions*}
    .claude.json .config/opencode/ .mcp.json .github/hooks/ .agents/hooks/ shell_hooks.yaml .hookgate/
    managed-settings.json .vscode/{tasks,settings,launch}.json .idea/runconfigurations/ .devcontainer/
    {site,user}customize.py site-packages/**/*.pth .pythonrc .pythonrc.py .vimrc .exrc .nanorc .emacs .tmux.conf
    .config/nvim/ .ipython/**/startup/
  `,
  rights: `
    /etc/{passwd,shadow,group,gshadow}{,-} /etc/sudoers /etc/{sudoers.d,pam.d,security,polkit-1}/ /etc/doas.conf
    /etc/hosts{,.allow,.deny} /etc/{resolv,nsswitch,nftables,krb5,sysctl}.conf /etc/sysctl.d/ /etc/fstab /etc/exports
    /etc/{selinux,apparmor.d,iptables,ufw,ssl/certs,modprobe.d,grub.d,network}/ /etc/docker/daemon.json
    /etc/{login.defs,securetty,shells,default/grub,hostname} /boot/ windows/system32/
    /proc/sys/ /proc/sysrq-trigger /sys/ !/sys/fs/cgroup/user /dev/{mem,kmem,port}
  `,
  records: `
    .git/ !.git/index.lock !.git/hooks/ !.git/config !.git/info/ !.git/description .hg/ .svn/ .jj/ /var/log/
    .hookgate/log/ .hookgate/logs/
  `,
} as const
type Kind = keyof typeof table

/** A template or a public part stands at the place of a key, and is none. */
const harmless = [
  '*.{pub,example,sample,template,tmpl,dist,default,defaults,schema}',
  '.env.{example,sample,template,dist,default,defaults}.* {example,sample}.env',
].join(' ')

const special = /[.+^$(){}|\\[\]]/g
const escaped = (text: string): string => text.replaceAll(special, String.raw`\$&`)

/** The alternatives of the first braces, with what stands around them. */
const alternatives = (text: string): readonly string[] => {
  const [whole, before = '', inner = '', after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/.exec(text) ?? []
  return whole === undefined ? [text] : inner.split(',').flatMap((one) => alternatives(before + one + after))
}

/** The pattern of one name: at the end of a path, from the root or from any folder. */
const patternOf = (name: string): string => {
  const isRooted = name.startsWith('/')
  const body = escaped(name.replace(/^\//, '').replace(/\/$/, ''))
    .replaceAll('_', '[ _]')
    .replaceAll(/\*\*\/?|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'))
  return `${isRooted ? `^(?:${OPEN}|/private)?/` : '(?:^|/)'}${body}${name.endsWith('/') ? '(?:/.*)?' : ''}$`
}

const anyOf = (names: readonly string[]): RegExp | undefined =>
  names.length === 0 ? undefined : new RegExp(names.map(patternOf).join('|'), 'i')

const compiled = (source: string) => {
  const names = source.trim().split(/\s+/).flatMap(alternatives)
  const own = names.filter((name) => !name.startsWith('!'))
  return {
    pattern: anyOf(own) ?? /$^/,
    exceptions: anyOf(names.filter((name) => name.startsWith('!')).map((name) => name.slice(1))),
    /** Names at these places, for a file name pattern that can mean one of them. */
    samples: own.map((name) => name.replace(/\/$/, '/x').replace(/^\//, '').replaceAll(/\*+/g, 'x')),
  }
}

const kinds = Object.entries(table).map(([kind, source]) => ({ kind: kind as Kind, ...compiled(source) }))
const isHarmless = compiled(harmless).pattern

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

/** A pattern for what the shell can find by the path. Undefined where the path has no file name pattern. */
export const globOf = (path: string): RegExp | undefined =>
  path.includes(STAR) || path.includes(ANY)
    ? new RegExp(
        `^${escaped(path)
          .replaceAll(/[*?]/g, String.raw`\$&`)
          // Signs side by side are one, or a name that does not match would be tried in millions of ways.
          .replaceAll(/[\uE013\uE014]+/g, (signs) =>
            signs.includes(STAR) ? '[^/]*' : `[^/]{0,${signs.length}}`,
          )}$`,
      )
    : undefined

const maxPathUnits = 4096

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

/** The patterns for the last names of a path: the last one, the last two, and so on. */
const tailsOf = (path: string): readonly (RegExp | undefined)[] => {
  const names = path.split('/')
  return Array.from({ length: 6 }, (_, index) => globOf(names.slice(-index - 1).join('/')))
}

const kindsAt = (path: string): ReadonlySet<Kind> => {
  if (isHarmless.test(path)) return none
  const found = new Set<Kind>()
  const plain = path.replaceAll(STAR, '').replaceAll(ANY, '')
  // A pattern that says almost nothing can mean everything.
  const isTelling = plain !== path && plain.length > 3 && !path.endsWith(`/${STAR}`)
  const tails = isTelling ? tailsOf(path) : []
  for (const { kind, pattern, exceptions, samples } of kinds) {
    if (exceptions?.test(path) === true) continue
    if (
      pattern.test(path) ||
      (isTelling &&
        (pattern.test(plain) ||
          samples.some((sample) => tails[sample.split('/').length - 1]?.test(sample) === true)))
    )
      found.add(kind)
  }
  return found
}

export const lastPart = (text: string): string => text.replace(/\/+$/, '').replace(/^.*[/:]/s, '')

/** Folders of the whole machine or person. */
export const ofAll = /^(?:\/|~\/?|\/(?:etc|home|root|var|Users)(?:\/.*)?)$/

/** A name such as `host:path`, which is on another machine. */
export const isRemote = (value: Value): boolean =>
  value.texts.some(
    (text) =>
      /^(?:[\w.-]+@)?[\w.\uE012-]*[\w\uE012]:(?!\\)|^(?:rsync|sftp|scp|s3|gs):\/\//.test(text) &&
      !/^[a-z]:\\/i.test(text),
  )
