import { judgeStatements } from './data.ts'
import { unquoted } from './running/code-texts.ts'
import { startsInContainer } from './running/containers.ts'
import type { Call } from '../call.ts'
import type { Effect } from '../effects.ts'
import { isOpen, literal, open, origin, type Value } from '../reading/value.ts'
import type { SayingName } from '../../../../model/hooks/guard-words.ts'

/** What a command of a program does, such as `docker volume rm`. */
interface Rule {
  /** The words behind the program, with alternatives. They stand in this order, from the first ones on. */
  readonly words: readonly ReadonlySet<string>[]
  /** One of these options has to be there. */
  readonly needs: readonly string[]
  readonly effect: Effect
  /** `none` for one that is fine, before a wider rule. */
  readonly says: SayingName | 'none'
}

/** With one of these, a command only shows what it would do. */
const harmless =
  /^--?(?:help|version|dry-?run(?:=(?!none|false).*)?|dryrun|what-if|no-act|check|plan-only|preview|client)$/

/**
 * Programs, and below them their commands: `words | options | effect | saying`. Words in one place are
 * separated by `/`. A program can stand above several groups. `dotnet publish` and `mix release` stand
 * nowhere, because they build for this machine.
 */
const table = `
docker podman nerdctl
  rm | -f --force -v --volumes | destroy | destroysContainers
  container rm | -f --force -v --volumes | destroy | destroysContainers
  rmi | -f --force | destroy | destroysContainers
  image rm/prune | -f --force -a --all | destroy | destroysContainers
  volume rm/remove/prune | | destroy | destroysContainers
  system prune | -f --force -a --all --volumes | destroy | destroysContainers
  container/network/builder/buildx prune | -f --force -a --all | destroy | destroysContainers
  network rm | | destroy | destroysContainers
  compose down | -v --volumes --rmi | destroy | destroysContainers
  compose rm | -v -f --force | destroy | destroysContainers
  stack/service/swarm/node/secret/config/context rm/remove/leave | | destroy | destroysContainers
  kill | | destroy | destroysContainers
  machine rm/reset | | destroy | destroysContainers
  system reset | | destroy | destroysContainers
  login | -p --password | secret-access | printsKey

docker-compose podman-compose
  down | -v --volumes --rmi | destroy | destroysContainers
  rm | -v -f --force -s | destroy | destroysContainers

kubectl oc k k3s microk8s
  delete pod/pods/po | --all -A --all-namespaces -l | destroy | destroysCluster
  delete pod/pods/po | | none | none
  kubectl delete pod/pods/po | | none | none
  delete | | destroy | destroysCluster
  kubectl delete | | destroy | destroysCluster
  drain/cordon | | destroy | destroysCluster
  replace | --force | destroy | destroysCluster
  scale | --replicas=0 | destroy | destroysCluster
  rollout undo | | destroy | destroysCluster
  create/apply clusterrolebinding | | privilege | getsRights
  get secret/secrets | -o --output -ojson -oyaml -o=json -o=yaml -ojsonpath | secret-access | printsKey
  describe secret/secrets | | secret-access | printsKey
  config view | --raw | secret-access | printsKey
  create token | | secret-access | printsKey

helm helmfile
  uninstall/delete/del/un/destroy | | destroy | destroysCluster
  rollback | | destroy | destroysCluster
  push | | publish | publishes

kind minikube k3d eksctl kops kubeadm talosctl rke k0s crc minishift clusterctl istioctl argocd flux nomad consul
vault
  delete cluster/clusters/all/nodegroup/app/ns | | destroy | destroysCluster
  cluster delete | | destroy | destroysCluster
  delete | | destroy | destroysCluster
  reset | | destroy | destroysCluster
  app/kustomization/source delete | | destroy | destroysCluster
  uninstall | | destroy | destroysCluster
  job/namespace/volume stop/delete/deregister/purge | | destroy | destroysCluster
  kv get | | secret-access | printsKey
  print token | | secret-access | printsKey
  kv/secrets/secret delete/destroy/disable/rm/metadata | | destroy | deletesKey
  read | | secret-access | printsKey
  operator unseal/seal | | destroy | destroysCluster

terraform tofu terragrunt pulumi cdk cdktf sst sls serverless sam copilot-aws amplify chalice zappa
  destroy/remove/delete | | destroy | destroysCloud
  run-all destroy | | destroy | destroysCloud
  apply | -auto-approve --auto-approve -destroy --destroy --terragrunt-non-interactive | destroy | appliesCloud
  up | -y --yes --skip-preview | destroy | appliesCloud
  deploy | --require-approval=never --force | destroy | appliesCloud
  state pull | | secret-access | printsKey
  config/stack/output | --show-secrets | secret-access | printsKey
  state rm/delete/push/mv | | destroy | destroysCloud
  stack rm | | destroy | destroysCloud
  workspace delete | | destroy | destroysCloud
  force-unlock/taint | | destroy | destroysCloud
  env/app/svc delete | | destroy | destroysCloud

gcloud gsutil bq firebase
  delete/destroy | | destroy | destroysCloud
  rm/rb | | destroy | destroysCloud
  remove/purge | | destroy | destroysCloud
  undelete | | privilege | getsRights
  add-iam-policy-binding/set-iam-policy | | privilege | getsRights
  keys create | | secret-access | printsKey
  print-access-token/print-identity-token | | secret-access | printsKey
  versions access | | secret-access | printsKey
  rsync | -d -D --delete-unmatched-destination-objects | destroy | destroysCloud
  firestore:delete/database:remove/hosting:disable | | destroy | destroysCloud
  functions:delete/projects:delete/apps:delete | | destroy | destroysCloud

az
  delete/purge/deallocate | | destroy | destroysCloud
  role assignment create | | privilege | getsRights
  keyvault secret show/download | | secret-access | printsKey
  account get-access-token | | secret-access | printsKey
  keys/credential list/show | | secret-access | printsKey
  ad sp create-for-rbac | | secret-access | printsKey

aws awslocal aws2
  s3 rm | --recursive | destroy | destroysCloud
  s3 rb | | destroy | destroysCloud
  s3 sync | --delete | destroy | destroysCloud
  secretsmanager get-secret-value/batch-get-secret-value | | secret-access | printsKey
  ssm get-parameter/get-parameters/get-parameters-by-path | --with-decryption | secret-access | printsKey
  sts get-session-token/assume-role/get-federation-token | | secret-access | printsKey
  iam create-access-key/create-login-profile/update-login-profile | | privilege | getsRights
  iam attach-user-policy/attach-role-policy/attach-group-policy/put-user-policy | | privilege | getsRights
  iam put-role-policy/add-user-to-group/create-policy-version | | privilege | getsRights
  iam update-assume-role-policy | | privilege | getsRights
  ec2 authorize-security-group-ingress | | privilege | dropsProtection
  s3api put-bucket-policy/put-bucket-acl | | privilege | opensToAll
  s3api delete-public-access-block/put-public-access-block | | privilege | opensToAll
  configure get/export-credentials | | secret-access | printsKey
  ecr get-login-password | | secret-access | printsKey
  kms decrypt | | secret-access | printsKey
  cloudtrail stop-logging | | privilege | dropsProtection

doctl hcloud linode-cli vultr-cli scw flyctl fly heroku railway render vercel netlify wrangler supabase
neonctl planetscale pscale turso atlas ibmcloud oci aliyun tccli yc upctl civo exo openstack nova virsh govc
prlctl VBoxManage vmrun qm pct lxc-destroy
  delete/destroy/remove/rm/del/terminate/undefine/unregistervm/purge | | destroy | destroysCloud
  apps:destroy/pg:reset/addons:destroy/domains:remove/config:unset/sites:delete/sites:reset | | destroy | destroysCloud
  db reset | | destroy | destroysData
  database/branch/project/projects/site/sites delete/destroy/rm/remove | | destroy | destroysCloud
  d1/r2/kv/kv:namespace/kv:key/pages/worker/workers/queues delete | | destroy | destroysCloud
  config/config:get/secrets/env | -s --shell --json pull | secret-access | printsKey
  variables/env:list | | secret-access | printsKey
  env pull/ls | | secret-access | printsKey
  auth:token/config | -s --shell --json | secret-access | printsKey
  auth:token | | secret-access | printsKey
  auth token/whoami-token | | secret-access | printsKey

gh glab tea
  repo delete/archive | | destroy | destroysProject
  repo edit | --visibility --visibility=public | publish | publishes
  release/gist/label/cache/run/workflow delete/delete-asset/disable | | destroy | destroysProject
  codespace/project/ruleset/environment/issue/milestone delete/remove | | destroy | destroysProject
  secret/variable/ssh-key/gpg-key/deploy-key delete/unset/remove | | destroy | destroysProject
  api | DELETE -XDELETE --method=DELETE | destroy | destroysByRequest
  repo sync | --force | git-loss | overwritesRemote
  secret/variable set | | privilege | writesRights
  release create/upload/edit | | publish | publishes
  pr merge/close | --admin --delete-branch -d | git-loss | overwritesRemote
  auth token | | secret-access | printsKey
  auth status | -t --show-token | secret-access | printsKey
  ssh-key/gpg-key/deploy-key add | | persistence | startsLater
  extension install | | remote-exec | installsUnknown
  gist create | -p --public | publish | publishes

npm pnpm yarn bun lerna changeset jsr nx
  set script-shell/prefix/registry/ignore-scripts/strict-ssl | | privilege | dropsProtection
  config get | _authToken | secret-access | printsKey
  publish | | publish | publishes
  npm publish | | publish | publishes
  unpublish | | destroy | destroysProject
  deprecate/owner/access/dist-tag/team add/rm/grant/revoke/public/restricted | | privilege | getsRights
  token create/list | | privilege | getsRights

pip pip3 uv poetry twine flit hatch pdm rye conda mamba pipx
  config set global.index-url/global.extra-index-url/global.trusted-host | | privilege | dropsProtection
  upload | | publish | publishes
  publish | | publish | publishes
  env remove | | destroy | destroysProject
  remove | --all | destroy | destroysProject

dotnet mix
  nuget push/delete | | publish | publishes
  hex.publish | | publish | publishes

cargo gem nuget pod mvn mvnw gradle gradlew sbt lein stack cabal composer goreleaser vsce ovsx clawhub
snapcraft flatpak-builder
  publish/push/upload/deploy/release/publish-plugin | | publish | publishes
  trunk push | | publish | publishes
  yank/unpublish/delete/retire | | destroy | destroysProject
  owner | --add -a --remove -r | privilege | getsRights

apt apt-get aptitude dnf yum zypper pacman apk brew snap flatpak port pkg emerge xbps-remove rpm dpkg choco
winget scoop nix-env
  remove/purge/autoremove/erase/uninstall/del/delete/autopurge/dist-upgrade/full-upgrade | | destroy | removesPackages

rpm
  | -e --erase | destroy | removesPackages

dpkg
  | -r --remove -P --purge | destroy | removesPackages

pacman
  | -R --remove | destroy | removesPackages

heroku
  config/config:get | | secret-access | printsKey

snap
  install | --dangerous | remote-exec | installsUnknown

rabbitmqctl rabbitmqadmin kafka-topics kafka-topics.sh kafka-configs nats mosquitto_ctrl pulsar-admin
  reset/force_reset/delete_queue/purge_queue/delete_vhost/delete_user/stop_app/stop | | destroy | destroysData
  delete/purge/rm | | destroy | destroysData
  | --delete | destroy | destroysData

ollama lms huggingface-cli hf wandb mlflow dvc git-annex
  delete-cache/gc | -f --force | destroy | destroysData
  repo delete | | destroy | destroysProject

stripe twilio shopify sfdx sf contentful sanity
  delete/destroy/dataset/data delete/destroy/bulk | | destroy | destroysCloud
  dataset delete | | destroy | destroysCloud

chattr-tools restic-tools velero etcdctl zkCli.sh
  get | --prefix | secret-access | printsKey
  delete/del/deleteall/rmr/rm | | destroy | destroysData
  snapshot restore | | destroy | destroysData

claude codex gemini opencode copilot kimi
  mcp add/add-json | | persistence | startsLater
`

const listOf = (text: string): readonly string[] => text.split(' ').filter((one) => one !== '')

const rules = new Map<string, Rule[]>()
let names: readonly string[] = []
for (const line of table.split('\n').map((one) => one.trim())) {
  const [words = '', needs = '', effect, says] = line.split('|').map((cell) => cell.trim())
  if (says === undefined) names = line === '' ? [] : [...names, ...line.split(' ')]
  else
    for (const name of names)
      rules.set(name, [
        ...(rules.get(name) ?? []),
        {
          words: listOf(words).map((word) => new Set(word.split('/'))),
          needs: listOf(needs),
          effect: effect as Effect,
          says: says as Rule['says'],
        },
      ])
}

export const hasRules = (name: string): boolean => rules.has(name)

/** How many words of options may stand before the command. */
const maxBefore = 4

const fits = ({ words, needs }: Rule, operands: readonly string[], options: readonly string[]): boolean => {
  for (let from = 0; from <= Math.min(maxBefore, operands.length - words.length); from++)
    if (words.every((word, index) => word.has((operands[from + index] ?? '').toLowerCase())))
      return (
        needs.length === 0 ||
        needs.some(
          (need) =>
            options.some((option) =>
              need.startsWith('--') || need.length > 2
                ? option === need || (!need.includes('=') && option.startsWith(`${need}=`))
                : /^-[a-zA-Z]+$/.test(option) && option.includes(need.charAt(1)),
            ) ||
            (!need.startsWith('-') && operands.some((operand) => operand.endsWith(need))),
        )
      )
  return false
}

/** Programs of clouds whose words can be a statement for a database. */
const withStatements =
  /^(?:wrangler|turso|supabase|heroku|fly|flyctl|pscale|planetscale|neonctl|aws|gcloud|bq)$/

/** The long commands of AWS say by their names what they do. */
const destroysInAws =
  /^(?:delete|terminate|purge|remove|deregister|disable|destroy|release|batch-delete|revoke|schedule-key)-[a-z-]+$/

/** An agent that asks no more. */
const asksNoMore =
  /^--(?:dangerously|yolo$|allow-all|full-auto$|bypass|(?:permission|approval)-mode=(?:bypass|yolo))/

/** `npm exec -c "…"`, `yarn exec …`, and the scripts that the line writes. */
const runsScripts = (call: Call, texts: readonly string[]): void => {
  for (const text of texts) {
    const [, script] = /^scripts\.[^=]+=(.+)$/s.exec(text) ?? []
    if (script !== undefined) call.runsShell(literal(script))
  }
  for (const text of call.contentOf(literal('package.json')).texts)
    for (const [, script = ''] of (/"scripts"\s*:\s*\{([^{}]*)/.exec(text)?.[1] ?? '').matchAll(
      /:\s*"((?:[^"\\]|\\.)*)"/g,
    ))
      call.runsShell(literal(unquoted(script)))
  const at = texts.findIndex((text) => /^(?:exec|x|dlx)$/.test(text))
  if (at < 0 || at > 2) return
  const { options, operands } = call.read(call.words.slice(at + 1), '+c=,call= p=,package= y,yes')
  for (const text of options.get('c') ?? []) call.runsShell(text)
  call.runs(operands)
}

/** Finds what is installed from an address, or from a file that the line loads. */
const installs = (call: Call, operands: readonly string[], options: readonly string[]): void => {
  const finds = (about: string | undefined): void => {
    if (about !== undefined) call.machine.find('remote-exec', 'installsUnknown', about)
  }
  if (
    /^(?:kubectl|oc|helm|docker|docker-compose)$/.test(call.name) &&
    operands.some((text) => /^(?:apply|build|create|install|upgrade|replace)$/.test(text))
  )
    finds(operands.find((text) => /^https?:/.test(text)))
  if (!/^(?:pip3?|uv|pipx|[cp]?npm|yarn|bun|gem|cargo|go|brew|apt|apt-get|dnf|yum|rpm|dpkg)$/.test(call.name))
    return
  const source = operands.find((text) => /^(?:git\+)?(?:https?|ftp|ssh|git):\/\/|^git@|^git\+/.test(text))
  const isInstall =
    operands.some((text) => /^(?:install|add|i|tap|run|get|localinstall)$/.test(text)) ||
    (call.name === 'rpm' && options.some((text) => /^-\w*[iU]/.test(text)))
  if (isInstall && !/^(?:git\+)?https:\/\/(?:github|gitlab)\.com\//.test(source ?? 'https://github.com/'))
    finds(source)
  else if (operands.includes('install'))
    finds(options.find((text) => /^--(?:extra-)?index-url|^-i$|--registry|--trusted-host/.test(text)))
  for (const word of call.words)
    if (
      word.texts.some((text) => /[./]/.test(text) && !isOpen(text)) &&
      (call.contentOf(word).from & origin.network) !== 0
    )
      call.machine.find('remote-exec', 'runsDownload')
}

/** Judges a program by the table of its commands. Returns what it prints. */
export const judgeByRules = (call: Call): Value | undefined => {
  const texts = call.words.map(({ texts: [text = ''] }) => text)
  const dashes = texts.indexOf('--')
  const own = dashes < 0 ? texts : texts.slice(0, dashes)
  if (own.some((text) => harmless.test(text)) || (own.includes('-h') && own.length < 4)) return undefined
  const operands = own.filter((text) => !text.startsWith('-'))
  const options = own.filter((text) => text.startsWith('-'))
  const rule = rules.get(call.name)?.find((one) => fits(one, operands, options))
  if (rule !== undefined && rule.says !== 'none')
    call.machine.find(rule.effect, rule.says, `${call.name} ${texts.slice(0, 12).join(' ')}`)
  if (call.name.startsWith('aws') && operands.some((text) => destroysInAws.test(text)))
    call.machine.find('destroy', 'destroysCloud', `${call.name} ${operands.slice(0, 3).join(' ')}`)
  if (withStatements.test(call.name))
    for (const word of call.words) if (/\s/.test(word.texts[0] ?? '')) judgeStatements(call, word)
  startsInContainer(call)
  const given = options.find((option) => asksNoMore.test(option))
  if (given !== undefined && /^(?:claude|codex|gemini|copilot|opencode|kimi)$/.test(call.name))
    call.machine.find('privilege', 'dropsProtection', given)
  if (/^(?:npm|pnpm|yarn|bun)$/.test(call.name)) runsScripts(call, texts)
  installs(call, operands, options)
  // `docker cp`, `kubectl cp` and `aws s3 cp` name files as `scp` does.
  const copy = texts.slice(0, 2).indexOf('cp')
  if (copy >= 0 && /^(?:docker|podman|nerdctl|kubectl|oc|k|aws|gsutil)$/.test(call.name))
    return call.runs([literal('scp'), ...call.words.slice(copy + 1)])
  return /^(?:aws|az|gcloud|gsutil|gh|glab)$/.test(call.name) &&
    operands.some((text) => /^(?:api|cat|download|view)$/.test(text))
    ? open(origin.network)
    : undefined
}
