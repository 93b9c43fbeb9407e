import {
  type Act,
  type Call,
  createCall,
  finds,
  inOrder,
  perform,
  type Programs,
  tools,
  withState,
} from '../call.ts'
import { bringFolder, movedTo } from '../files.ts'
import { kindsOf, lastPart } from '../places.ts'
import { isOpen, joined, literal, open, origin, textOf, textsOf, type Value } from '../reading/value.ts'
import { anyOf, raw } from '../../patterns.ts'

const loses = (call: Call, says: Parameters<Call['find']>[1] = 'discardsWork', about = ''): void =>
  call.find('git-loss', says, about)

/** An act that loses when one of these options is given. */
const losing =
  (options: string, says?: Parameters<typeof loses>[1]): Act =>
  (call) => {
    if (!call.has('help', 'n', 'cached') && call.has(...options.split(' '))) loses(call, says, call.text(0))
  }

/** An act that runs the values of these options. */
const running =
  (options: string): Act =>
  (call) => {
    for (const line of call.values(options)) call.runsShell(line)
  }

/** The commands of git that lose work, each with the grammar of its options. */
const commands: Programs = {
  ...tools`reset: hard merge p,patch pathspec-from-file= U= help`(losing('hard merge')),
  ...tools`checkout:
    f,force b= B= detach,d orphan= ours theirs m,merge conflict= p,patch pathspec-from-file= unified=
    inter-hunk-context= U= help!`((call) => {
    const dashes = call.words.findIndex(({ texts }) => texts.includes('--'))
    const isOfFiles =
      (dashes >= 0 && dashes < call.words.length - 1) ||
      (!call.has('b', 'B', 'orphan', 'd', 'p') &&
        (call.operands.length > 1 || /^\.{1,2}(?:\/|$)|\*|^:/.test(call.text(0))))
    if (call.has('f', 'pathspec-from-file', 'ours', 'theirs') || isOfFiles) loses(call)
  }),
  ...tools`switch:
    f,force discard-changes c=,create= C=,force-create= d,detach m,merge orphan= conflict= help`(
    losing('f discard-changes'),
  ),
  ...tools`restore:
    s=,source= S,staged W,worktree p!,patch ours theirs m,merge conflict= pathspec-from-file= U= help!`(
    (call) => {
      if (call.has('S') && !call.has('W')) return
      if (call.operands.length > 0 || call.has('pathspec-from-file')) loses(call)
    },
  ),
  ...tools`clean: f,force n!,dry-run i!,interactive e=,exclude= help!`((call) => {
    if (call.has('f') || /clean\.requireForce=(?:no|false|off|0)/i.test(call.settings))
      loses(call, 'discardsFiles')
  }),
  ...tools`stash: help!`(finds('git-loss', 'discardsStash', '', /^(?:drop|clear)(?:\n|$)/)),
  ...tools`branch:
    d,delete f,force u= set-upstream-to= contains= merged= no-merged= sort= format= points-at= help!`(
    (call) => {
      const isForced = call.has('f') && (call.has('d') || (call.operands.length > 0 && !call.has('m', 'c')))
      if (call.has('D', 'M', 'C') || isForced) loses(call, 'discardsBranch', call.text(0))
    },
  ),
  ...tools`tag: d,delete m= F= u= n help`(losing('d', 'discardsBranch')),
  ...tools`push:
    f,force force-with-lease d,delete mirror all prune n!,dry-run u,set-upstream o=,push-option= repo=
    receive-pack= exec= recurse-submodules= help! h!`((call) => {
    const refs = call.operands.slice(call.has('repo') ? 0 : 1).flatMap(({ texts }) => texts)
    const lease = textsOf(call.values('force-with-lease'))
    const isLeased = lease.length > 0 && !lease.some((one) => one.includes(':'))
    const pushed = refs.map((ref) => ref.replace(/^\+/, '').replace(/^.*:/, ''))
    const leased = lease.map((one) => one.replace(/:.*/, '')).filter((one) => one !== '')
    const isCovered = isLeased && (leased.length === 0 || pushed.every((ref) => leased.includes(ref)))
    const isForced = call.has('f') || refs.some((ref) => ref.startsWith('+'))
    if (call.has('mirror')) loses(call, 'overwritesRemote')
    else if (call.has('d') || refs.some((ref) => /^\+?:[^:]/.test(ref)))
      loses(call, 'discardsBranch', pushed.join(' '))
    else if (isForced && !isCovered) loses(call, 'overwritesRemote')
  }),
  ...tools`fetch: f,force depth= o= j= help`((call) => {
    // A branch of ours takes the state of the server, whatever was in it.
    const refs = call.operands.slice(1).flatMap(({ texts }) => texts)
    const isLost = (ref: string): boolean =>
      (call.has('f') || ref.startsWith('+')) && /:(?!refs\/(?:remotes|tags)\/)./.test(ref)
    if (refs.some(isLost)) loses(call, 'discardsBranch', refs.join(' '))
  }),
  ...tools`worktree: f,force help dry-run`((call) => {
    if (call.text(0) === 'remove' && call.has('f')) loses(call)
  }),
  ...tools`rebase: onto= skip x=,exec= help`(
    inOrder(running('x'), finds('git-loss', 'discardsWork', '', 'skip')),
  ),
  ...tools`bisect: +`((call) => {
    if (call.text(0) === 'run') call.runs(call.operands.slice(1))
  }),
  ...tools`submodule: +f,force all`((call) => {
    if (call.text(0) === 'foreach') call.runsShell(joined(call.operands.slice(1), ' '))
    if (call.text(0) === 'deinit' && call.texts.some((text) => /^(?:-f|--force)$/.test(text))) loses(call)
  }),
  ...tools`filter-branch: index-filter= tree-filter= msg-filter= env-filter= commit-filter= help`((call) => {
    running('index-filter tree-filter msg-filter env-filter commit-filter')(call)
    if (!call.has('help')) loses(call, 'rewritesHistory')
  }),
  ...tools`filter-repo: f,force path= replace-text= mailmap= message-callback= analyze! dry-run! help! h!`(
    finds('git-loss', 'rewritesHistory'),
  ),
  ...tools`reflog: expire= expire-unreachable= all n!,dry-run help! h!`((call) => {
    const [given] = call.values('expire expire-unreachable')
    if (call.text(0) === 'expire' && /^(?:now|all|0|\d+\.(?:second|minute)s?)/.test(textOf(given)))
      loses(call, 'forgetsHistory')
  }),
  ...tools`gc: prune= no-prune! help!`((call) => {
    const [given] = call.values('prune')
    const isSet = /gc\.pruneExpire=(?:now|all|0)/i.test(call.settings)
    if (given === undefined ? isSet : /^(?:now|all|0)/.test(textOf(given))) loses(call, 'forgetsHistory')
  }),
  ...tools`prune: expire= n!,dry-run help`((call) => {
    if (/^(?:now|all)/.test(textOf(call.values('expire')[0]))) loses(call, 'forgetsHistory')
  }),
  ...tools`update-ref: m= stdin`(losing('d stdin', 'discardsBranch')),
  ...tools`symbolic-ref`(losing('d', 'discardsBranch')),
  ...tools`read-tree: reset`((call) => {
    if (call.has('reset') && call.has('u')) loses(call)
  }),
  ...tools`checkout-index: f,force a,all`(losing('f')),
  ...tools`rm: f,force n,dry-run cached`(losing('f')),
  ...tools`config: unset get f=,file= type= help`((call) => {
    const [first, second] = call.text(0) === 'set' ? call.operands.slice(1) : call.operands
    const [key, value] = [textOf(first).toLowerCase(), textOf(second)]
    if (second === undefined || call.has('get', 'unset')) {
      if (/extraheader|token|password/.test(key)) call.find('secret-access', 'printsKey', key)
      return
    }
    if (key === 'safe.directory' && value === '*') call.find('privilege', 'dropsProtection', key)
    const isShell = key.startsWith('alias.')
      ? value.startsWith('!')
      : startingSetting.test(key) ||
        /^(?:protocol\..*allow|init\.templatedir|include\.path|includeif\..*)/.test(key)
    if (isShell) call.runsShell(literal(value.replace(/^!/, '')))
    const isUsual = /^(?:core\.(?:editor|pager)|credential\.helper)$/.test(key) && !/[|;&`$!]/.test(value)
    if (isShell && !isUsual) call.find('persistence', 'writesStart', key)
    if (/^http\.sslverify$/.test(key) && /^(?:false|0|no|off)$/i.test(value))
      call.find('privilege', 'dropsProtection', key)
  }),
  ...tools`add: f,force n,dry-run chmod= pathspec-from-file= help`((call) => {
    for (const path of call.operands.flatMap(call.paths))
      if (kindsOf(path).has('key')) call.find('secret-access', 'commitsKey', path)
  }),
  ...tools`difftool: x=,extcmd= t=`(running('x')),
  ...tools`clone: c= u=,upload-pack= template= b= depth= o= help`((call) => {
    running('u')(call)
    const [source, target = literal(lastPart(call.text(0)).replace(/\.git$/, ''))] = call.operands
    if (/:|^git@/.test(textOf(source))) bringFolder(call.state, target, origin.network)
  }),
}

const readsFiles = /^(?:hash-object|apply|am|notes)$/

const showsFiles = /^(?:show|cat-file|diff|grep|blame|archive|log)$/

/** Settings such as `core.pager=less`, of the line and of the variables before it. */
const settingsOf = (call: Call): readonly string[] => {
  const { variables } = call.given
  const found = call.values('c').flatMap(({ texts }) => texts)
  const inner = textOf(variables.get('GIT_CONFIG_PARAMETERS'))
  for (const [, name = '', value = ''] of inner.matchAll(/'([^'=]+)(?:'=')?=?([^']*)'/g))
    found.push(`${name}=${value}`)
  for (const name of textsOf(call.values('config-env'))) {
    const cut = name.lastIndexOf('=')
    found.push(`${name.slice(0, cut)}=${textOf(variables.get(name.slice(cut + 1)))}`)
  }
  for (const [name, key] of variables)
    if (name.startsWith('GIT_CONFIG_KEY_'))
      found.push(`${textOf(key)}=${textOf(variables.get(name.replace('KEY', 'VALUE')))}`)
  return found
}

/** Settings that start a program. */
const startingSetting = anyOf(
  '',
  raw`^core\.(?:hookspath|sshcommand|pager|editor|fsmonitor|askpass|gitproxy)$`,
  raw`^(?:pager\..*|sequence\.editor|credential\.(?:.*\.)?helper|gpg\.(?:\w+\.)?program)$`,
  raw`^(?:diff\.external|diff\..*\.(?:command|textconv)|(?:diff|merge)tool\..*\.cmd|merge\..*\.driver)$`,
  raw`^(?:filter\..*\.(?:clean|smudge|process)|uploadpack\..*hook)$`,
)

/** Variables that start a program. */
const startingVariables =
  'GIT_SSH_COMMAND GIT_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_SEQUENCE_EDITOR GIT_ASKPASS'.split(' ')

/** Words of a command of git that start a program, here or on another machine. */
const startingWord =
  /^(?:--(?:upload-pack|receive-pack|exec|open-files-in-pager|extcmd)[= ]|ext::)(.+)$|^-[Ox](.+)$/s

const git = (given: Call): Value | void => {
  const settings = settingsOf(given)
  const [verb, ...words] = given.operands
  if (verb === undefined) return
  const folders = given.values('C')
  const call = folders.length === 0 ? given : withState(given, folders.reduce(movedTo, given.state))
  for (const setting of settings) {
    const cut = setting.indexOf('=')
    const [, alias] = /^alias\.([^=]*)/i.exec(setting) ?? []
    if (alias !== undefined && verb.texts.includes(alias)) {
      const line = setting.slice(cut + 1)
      const own = `git ${line} ${textsOf(words).join(' ')}`
      return call.runsShell(literal(line.startsWith('!') ? line.slice(1) : own))
    }
    const [key, value] = [setting.slice(0, cut).toLowerCase(), setting.slice(cut + 1)]
    if (key === 'core.hookspath') {
      if (!/^(?:\/dev\/null)?$/.test(value)) call.find('remote-exec', 'loadsCode', setting)
    } else if (startingSetting.test(key)) call.runsShell(literal(value.replace(/^!/, '')))
  }
  if (given.values('exec-path').some((path) => textOf(path) !== ''))
    call.find('remote-exec', 'loadsCode', 'git --exec-path')
  for (const [index, word] of words.entries()) {
    const next = /^--[a-z-]+$/.test(textOf(word)) ? ` ${textOf(words[index + 1])}` : ''
    const [, long, short] = startingWord.exec(textOf(word) + next) ?? []
    if (long !== undefined || (short !== undefined && /^(?:grep|difftool|rebase)$/.test(textOf(verb))))
      call.runsShell(literal(long ?? short ?? ''))
  }
  for (const name of startingVariables) {
    const line = given.given.variables.get(name)
    if (line !== undefined) call.runsShell(line)
  }
  for (const name of verb.texts) {
    if (isOpen(name)) continue
    const found = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (found !== undefined)
      perform(found.act, createCall(call.name, words, found.options, call, settings.join(' ')))
    if (readsFiles.test(name) || words.some(({ texts }) => texts.includes('--no-index')))
      for (const word of words) call.reads(word)
    if (showsFiles.test(name)) {
      for (const word of words)
        for (const one of word.texts)
          if (/^[\w./~^@{}-]*:[^:]/.test(one)) call.reads(literal(one.replace(/^[^:]*:/, '')))
    }
    if (name === 'archive') return open(origin.folder)
    if (name === 'credential' && /^fill$/.test(textOf(words[0])))
      call.find('secret-access', 'printsKey', 'git credential')
    if (name === 'daemon' || name === 'instaweb') call.find('remote-exec', 'opensPort', `git ${name}`)
  }
  return open()
}

export const gitTools: Programs = {
  ...tools`git hub gix:
    +C= c= git-dir= work-tree= namespace= exec-path config-env= super-prefix= list-cmds= attr-source=
    p,paginate version!,v help!,h`(git),
  ...tools`bfg git-filter-repo`(finds('git-loss', 'rewritesHistory')),
}
