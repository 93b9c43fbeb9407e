/**
 * Programs, and below them their commands: `words, words | options | effect | saying`. Words in one place
 * are separated by `/`. A program can stand above several groups. `dotnet publish` and `mix release` stand
 * nowhere, because they build for this machine.
 */
export const rulesTable = `
docker podman nerdctl
  rm, container rm | -f --force -v --volumes | destroy | destroysContainers
  rmi | -f --force | destroy | destroysContainers
  image rm/prune | -f --force -a --all | destroy | destroysContainers
  volume rm/remove/prune | | destroy | destroysContainers
  system prune | -f --force -a --all --volumes | destroy | destroysContainers
  container/network/builder/buildx prune | -f --force -a --all | destroy | destroysContainers
  network rm | | destroy | destroysContainers
  compose down | -v --volumes --rmi | destroy | destroysContainers
  compose rm | -v -f --force | destroy | destroysContainers
  stack/service/swarm/node/secret/config/context rm/remove/leave, kill | | destroy | destroysContainers
  machine rm/reset, system reset | | destroy | destroysContainers
  login | -p --password | secret-access | printsKey

docker-compose podman-compose
  down | -v --volumes --rmi | destroy | destroysContainers
  rm | -v -f --force -s | destroy | destroysContainers

kubectl oc k k3s microk8s
  delete pod/pods/po | --all -A --all-namespaces -l | destroy | destroysCluster
  delete pod/pods/po, kubectl delete pod/pods/po | | none | none
  delete, kubectl delete, drain/cordon | | destroy | destroysCluster
  replace | --force | destroy | destroysCluster
  scale | --replicas=0 | destroy | destroysCluster
  rollout undo | | destroy | destroysCluster
  create/apply clusterrolebinding | | privilege | getsRights
  get secret/secrets | -o --output -ojson -oyaml -o=json -o=yaml -ojsonpath | secret-access | printsKey
  describe secret/secrets | | secret-access | printsKey
  config view | --raw | secret-access | printsKey
  create token | | secret-access | printsKey

helm helmfile
  uninstall/delete/del/un/destroy, rollback | | destroy | destroysCluster
  push | | publish | publishes

kind minikube k3d eksctl kops kubeadm talosctl rke k0s crc minishift clusterctl istioctl argocd flux nomad consul
vault
  delete cluster/clusters/all/nodegroup/app/ns, cluster delete, delete, reset | | destroy | destroysCluster
  app/kustomization/source delete, uninstall | | destroy | destroysCluster
  job/namespace/volume stop/delete/deregister/purge | | destroy | destroysCluster
  kv get, token create, print token | | secret-access | printsKey
  kv/secrets/secret delete/destroy/disable/rm/metadata | | destroy | deletesKey
  read | | secret-access | printsKey
  operator unseal/seal | | destroy | destroysCluster

terraform tofu terragrunt pulumi cdk cdktf sst sls serverless sam copilot-aws amplify chalice zappa
  destroy/remove/delete, run-all destroy | | destroy | destroysCloud
  apply | -auto-approve --auto-approve -destroy --destroy --terragrunt-non-interactive | destroy | appliesCloud
  up | -y --yes --skip-preview | destroy | appliesCloud
  deploy | --require-approval=never never --force | destroy | appliesCloud
  state pull | | secret-access | printsKey
  config/stack/output | --show-secrets | secret-access | printsKey
  state rm/delete/push/mv, stack rm, workspace delete, force-unlock/taint | | destroy | destroysCloud
  env/app/svc delete | | destroy | destroysCloud

gcloud gsutil bq firebase
  delete/destroy, rm/rb, remove/purge | | destroy | destroysCloud
  undelete, add-iam-policy-binding/set-iam-policy | | privilege | getsRights
  keys create | | secret-access | printsKey
  print-access-token/print-identity-token/config-helper/generate-login-token | | secret-access | printsKey
  versions access | | secret-access | printsKey
  rsync | -d -D --delete-unmatched-destination-objects | destroy | destroysCloud
  firestore:delete/database:remove/hosting:disable | | destroy | destroysCloud
  functions:delete/projects:delete/apps:delete | | destroy | destroysCloud

az
  delete/purge/deallocate | | destroy | destroysCloud
  role assignment create | | privilege | getsRights
  keyvault secret show/download, account get-access-token | | secret-access | printsKey
  keys/credential/connection-string list/show, ad sp create-for-rbac | | secret-access | printsKey

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
  configure get/export-credentials, ecr get-login-password, kms decrypt | | secret-access | printsKey
  eks/codeartifact get-token/get-authorization-token | | secret-access | printsKey
  redshift/rds get-cluster-credentials/generate-db-auth-token | | secret-access | printsKey
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
  variables/env:list, env pull/ls | | secret-access | printsKey
  auth:token/config | -s --shell --json | secret-access | printsKey
  auth:token, auth token/whoami-token | | secret-access | printsKey

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
  publish, npm publish | | publish | publishes
  unpublish | | destroy | destroysProject
  deprecate/owner/access/dist-tag/team add/rm/grant/revoke/public/restricted | | privilege | getsRights
  token create/list | | privilege | getsRights

pip pip3 uv poetry twine flit hatch pdm rye conda mamba pipx
  config set global.index-url/global.extra-index-url/global.trusted-host | | privilege | dropsProtection
  upload, publish | | publish | publishes
  env remove | | destroy | destroysProject
  remove | --all | destroy | destroysProject

dotnet mix
  nuget push/delete, hex.publish | | publish | publishes

cargo gem nuget pod mvn mvnw gradle gradlew sbt lein stack cabal composer goreleaser vsce ovsx clawhub
snapcraft flatpak-builder
  publish/push/upload/deploy/release/publish-plugin, trunk push | | publish | publishes
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

tailscale
  funnel | | remote-exec | opensPort

snap
  install | --dangerous | remote-exec | installsUnknown

hg
  up/update/co/checkout | -C --clean | git-loss | discardsWork
  revert/purge/clean/strip | | git-loss | discardsWork

svn jj
  revert/abandon/restore, op restore/undo/revert/abandon | | git-loss | discardsWork

prisma sequelize knex typeorm drizzle-kit alembic flyway liquibase dbmate artisan manage.py django-admin
rails rake diesel sqlx goose migrate ecto
  migrate/migrations/database reset/drop | | destroy | destroysData
  db push | --force-reset --accept-data-loss | destroy | destroysData
  db:drop/db:drop:all/db:reset/db:wipe/db:schema:load/db:migrate:reset | | destroy | destroysData
  migrate:fresh/migrate:reset/migrate:refresh/schema:drop | | destroy | destroysData
  clean/drop/drop-all/dropall/flush/reset/reset_db/sqlflush, downgrade base | | destroy | destroysData
  down | -all --all | destroy | destroysData

dmsetup losetup drbdadm targetcli ceph rbd gluster
  remove/remove_all/rm/purge/delete/destroy/down/invalidate/zap | | destroy | removesStorage
  wipe_table/wipe-md | | destroy | removesStorage

tmutil
  delete/deletelocalsnapshots/thinlocalsnapshots/disable/disablelocal | | destroy | removesStorage

security
  find-generic-password/find-internet-password/find-identity | | secret-access | printsKey
  dump-keychain/export | | secret-access | printsKey
  delete-generic-password/delete-internet-password/delete-identity | | destroy | deletesKey
  delete-certificate/delete-keychain | | destroy | deletesKey

setenforce aa-disable aa-teardown apparmor_parser auditctl csrutil spctl tccutil nvram fdesetup mokutil bcdedit
  status | | none | none
   | -l --assess --status | none | none
   | | privilege | dropsProtection

insmod modprobe rmmod kexec mknod kmod dkms bpftool update-ca-certificates update-ca-trust
   | -n --show-depends --version | none | none
   | | privilege | writesRights

rabbitmqctl rabbitmqadmin kafka-topics kafka-topics.sh kafka-configs nats mosquitto_ctrl pulsar-admin
  reset/force_reset/delete_queue/purge_queue/delete_vhost/delete_user/stop_app/stop | | destroy | destroysData
  delete/purge/rm | | destroy | destroysData
   | --delete | destroy | destroysData

ollama lms huggingface-cli hf wandb mlflow dvc git-annex
  delete-cache/gc | -f --force | destroy | destroysData
  repo delete | | destroy | destroysProject

stripe twilio shopify sfdx sf contentful sanity
  delete/destroy/dataset/data delete/destroy/bulk, dataset delete | | destroy | destroysCloud

chattr-tools restic-tools velero etcdctl zkCli.sh
  get | --prefix | secret-access | printsKey
  delete/del/deleteall/rmr/rm, snapshot restore | | destroy | destroysData

claude codex gemini opencode copilot kimi
  mcp add/add-json | | persistence | startsLater
`
