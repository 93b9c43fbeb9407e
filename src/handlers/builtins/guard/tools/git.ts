import { readWords } from '../reading/options.ts'
import { all, type Call, createCall, finds, type Programs, tools, withState } from '../call.ts'
import { bringFolder, movedTo } from '../files.ts'
import { kindsOf, lastPart } from '../places.ts'
import type { Words } from '../reading/options.ts'
import { empty, isOpen, joined, literal, open, origin, textOf, type Value } from '../reading/value.ts'
import { anyOf, raw } from '../../patterns.ts'

const globalOptions =
  '+C= c= git-dir= work-tree= namespace= exec-path config-env= super-prefix= list-cmds= attr-source= ' +
  'p,paginate version,v help,h'

const text = (value: Value | undefined): string => textOf(value)

type GitAct = (call: Call) => void

const loses = (call: Call, says: Parameters<Call['machine']['find']>[1] = 'discardsWork', about = ''): void =>
  call.find('git-loss', says, about)

/** An act that loses when one of these options is given. */
const losing =
  (options: string, says?: Parameters<typeof loses>[1]): GitAct =>
  (call) => {
    if (!call.has('help', 'n', 'cached') && call.has(...options.split(' ')))
      loses(call, says, text(call.operands[0]))
  }

const isDryRun = (call: Call): boolean => call.has('dry-run', 'help', 'h')

/** The commands of git that lose work, each with the grammar of its options. */
const commands: Readonly<Record<string, readonly [options: string, act: GitAct]>> = {
  reset: ['hard merge p,patch pathspec-from-file= U= help', losing('hard merge')],
  checkout: [
    'f,force b= B= detach,d orphan= ours theirs m,merge conflict= p,patch pathspec-from-file= unified= ' +
      'inter-hunk-context= U= help',
    (call) => {
      if (call.has('help')) return
      const dashes = call.words.findIndex(({ texts }) => texts.includes('--'))
      const before =
        dashes < 0 ? call.operands.length : call.operands.length - (call.words.length - dashes - 1)
      const behind = dashes < 0 ? [] : call.operands.slice(before)
      const isBranch = call.has('b', 'B', 'orphan', 'd')
      if (call.has('f', 'pathspec-from-file', 'ours', 'theirs') || behind.length > 0) loses(call)
      else if (
        !isBranch &&
        !call.has('p') &&
        (call.operands.length > 1 || /^\.{1,2}(?:\/|$)|\*|^:/.test(text(call.operands[0])))
      )
        loses(call)
    },
  ],
  switch: [
    'f,force discard-changes c=,create= C=,force-create= d,detach m,merge orphan= conflict= help',
    losing('f discard-changes'),
  ],
  restore: [
    's=,source= S,staged W,worktree p,patch ours theirs m,merge conflict= pathspec-from-file= U= help',
    (call) => {
      if (call.has('help', 'p') || (call.has('S') && !call.has('W'))) return
      if (call.operands.length > 0 || call.has('pathspec-from-file')) loses(call)
    },
  ],
  clean: [
    'f,force n,dry-run i,interactive e=,exclude= help',
    (call) => {
      if (call.has('n', 'help', 'i')) return
      const isAllowed = /clean\.requireForce=(?:no|false|off|0)/i.test(call.settings ?? '')
      if (call.has('f') || isAllowed) loses(call, 'discardsFiles')
    },
  ],
  stash: [
    'help',
    (call) => {
      if (/^(?:drop|clear)$/.test(text(call.operands[0])) && !call.has('help')) loses(call, 'discardsStash')
    },
  ],
  branch: [
    'd,delete f,force u= set-upstream-to= contains= merged= no-merged= sort= format= points-at= help',
    (call) => {
      const name = text(call.operands[0])
      if (call.has('help')) return
      if (call.has('D') || (call.has('d') && call.has('f')) || call.has('M', 'C'))
        loses(call, 'discardsBranch', name)
      else if (call.has('f') && call.operands.length > 0 && !call.has('m', 'c'))
        loses(call, 'discardsBranch', name)
    },
  ],
  tag: ['d,delete m= F= u= n help', losing('d', 'discardsBranch')],
  push: [
    'f,force force-with-lease d,delete mirror all prune n,dry-run u,set-upstream o=,push-option= repo= ' +
      'receive-pack= exec= recurse-submodules= help',
    (call) => {
      if (isDryRun(call) || call.has('n')) return
      const refs = [
        ...call.operands.slice(1),
        ...(call.has('repo') ? call.operands.slice(0, 1) : []),
      ].flatMap(({ texts }) => texts)
      const lease = call.values('force-with-lease').map(text)
      const isLeased = lease.length > 0 && !lease.some((one) => one.includes(':'))
      const pushed = refs.map((ref) => ref.replace(/^\+/, '').replace(/^.*:/, ''))
      const leased = lease.map((one) => one.replace(/:.*/, '')).filter((one) => one !== '')
      const isCovered = isLeased && (leased.length === 0 || pushed.every((ref) => leased.includes(ref)))
      if (call.has('mirror')) loses(call, 'overwritesRemote')
      else if (call.has('d') || refs.some((ref) => /^\+?:[^:]/.test(ref)))
        loses(call, 'discardsBranch', pushed.join(' '))
      else if ((call.has('f') || refs.some((ref) => ref.startsWith('+'))) && !isCovered)
        loses(call, 'overwritesRemote')
      else if (lease.length > 0 && leased.length > 0 && refs.some((ref) => ref.startsWith('+')) && !isCovered)
        loses(call, 'overwritesRemote')
    },
  ],
  fetch: [
    'f,force depth= o= j= help',
    (call) => {
      // A branch of ours takes the state of the server, whatever was in it.
      const refs = call.operands.slice(1).flatMap(({ texts }) => texts)
      if (
        refs.some(
          (ref) => (call.has('f') || ref.startsWith('+')) && /:(?!refs\/(?:remotes|tags)\/)./.test(ref),
        )
      )
        loses(call, 'discardsBranch', refs.join(' '))
    },
  ],
  worktree: [
    'f,force help dry-run',
    (call) => {
      if (text(call.operands[0]) === 'remove' && call.has('f')) loses(call, 'discardsWork')
    },
  ],
  rebase: [
    'onto= skip x=,exec= help',
    (call) => {
      for (const line of call.values('x')) call.runsShell(line)
      if (call.has('skip')) loses(call)
    },
  ],
  bisect: [
    '+',
    (call) => {
      if (text(call.operands[0]) === 'run') call.runs(call.operands.slice(1))
    },
  ],
  submodule: [
    '+f,force all',
    (call) => {
      if (text(call.operands[0]) === 'foreach') call.runsShell(joined(call.operands.slice(1), ' '))
      if (
        text(call.operands[0]) === 'deinit' &&
        call.words.some((word) => /^(?:-f|--force)$/.test(textOf(word)))
      )
        loses(call)
    },
  ],
  'filter-branch': [
    'index-filter= tree-filter= msg-filter= env-filter= commit-filter= help',
    (call) => {
      for (const line of call.values('index-filter tree-filter msg-filter env-filter commit-filter'))
        call.runsShell(line)
      if (!call.has('help')) loses(call, 'rewritesHistory')
    },
  ],
  'filter-repo': [
    'f,force path= replace-text= mailmap= message-callback= analyze dry-run help',
    (call) => {
      if (!isDryRun(call) && !call.has('analyze')) loses(call, 'rewritesHistory')
    },
  ],
  reflog: [
    'expire= expire-unreachable= all n,dry-run help',
    (call) => {
      if (
        text(call.operands[0]) === 'expire' &&
        !isDryRun(call) &&
        !call.has('n') &&
        /^(?:now|all|0|\d+\.(?:second|minute)s?)/.test(
          text(call.values('expire')[0] ?? call.values('expire-unreachable')[0]),
        )
      )
        loses(call, 'forgetsHistory')
    },
  ],
  gc: [
    'prune= no-prune help',
    (call) => {
      const [given] = call.values('prune')
      const isSet = /gc\.pruneExpire=(?:now|all|0)/i.test(call.settings ?? '')
      if (!call.has('no-prune', 'help') && (given === undefined ? isSet : /^(?:now|all|0)/.test(text(given))))
        loses(call, 'forgetsHistory')
    },
  ],
  prune: [
    'expire= n,dry-run help',
    (call) => {
      if (/^(?:now|all)/.test(text(call.values('expire')[0])) && !call.has('n')) loses(call, 'forgetsHistory')
    },
  ],
  'update-ref': ['m= stdin', losing('d stdin', 'discardsBranch')],
  'symbolic-ref': ['', losing('d', 'discardsBranch')],
  'read-tree': ['reset', (call) => (call.has('reset') && call.has('u') ? loses(call) : undefined)],
  'checkout-index': ['f,force a,all', losing('f')],
  rm: ['f,force n,dry-run cached', losing('f')],
  config: [
    'unset get f=,file= type= help',
    (call) => {
      const [first, second] = call.operands[0]?.texts[0] === 'set' ? call.operands.slice(1) : call.operands
      const key = text(first).toLowerCase()
      if (second === undefined || call.has('get', 'unset')) {
        if (/extraheader|token|password/.test(key)) call.find('secret-access', 'printsKey', key)
        return
      }
      if (key === 'safe.directory' && text(second) === '*') call.find('privilege', 'dropsProtection', key)
      const isShell = key.startsWith('alias.')
        ? text(second).startsWith('!')
        : startingSetting.test(key) ||
          /^(?:protocol\..*allow|init\.templatedir|include\.path|includeif\..*)/.test(key)
      if (isShell) call.runsShell(literal(text(second).replace(/^!/, '')))
      if (isShell && !/^(?:core\.(?:editor|pager)|credential\.helper)$/.test(key))
        call.find('persistence', 'writesStart', key)
      else if (isShell && /[|;&`$!]/.test(text(second))) call.find('persistence', 'writesStart', key)
      if (/^http\.sslverify$/.test(key) && /^(?:false|0|no|off)$/i.test(text(second)))
        call.find('privilege', 'dropsProtection', key)
    },
  ],
  add: [
    'f,force n,dry-run chmod= pathspec-from-file= help',
    (call) => {
      for (const word of call.operands)
        for (const path of call.paths(word))
          if (kindsOf(path).has('key')) call.find('secret-access', 'commitsKey', path)
    },
  ],
  difftool: [
    'x=,extcmd= t=',
    (call) => {
      for (const line of call.values('x')) call.runsShell(line)
    },
  ],
  clone: [
    'c= u=,upload-pack= template= b= depth= o= help',
    (call) => {
      for (const line of call.values('u')) call.runsShell(line)
      const [source, target] = call.operands
      if (source !== undefined && /:|^git@/.test(text(source)))
        bringFolder(
          call.state,
          target ?? literal(lastPart(text(source)).replace(/\.git$/, '')),
          origin.network,
        )
    },
  ],
}

const readsFiles: ReadonlySet<string> = new Set(['hash-object', 'apply', 'am', 'notes'])

const showsFiles: ReadonlySet<string> = new Set([
  'show',
  'cat-file',
  'diff',
  'grep',
  'blame',
  'archive',
  'log',
])

/** Settings such as `core.pager=less`, of the line and of the variables before it. */
const settingsOf = ({ given: { variables } }: Call, options: Words['options']): readonly string[] => {
  const found = (options.get('c') ?? []).flatMap(({ texts }) => texts)
  const inner = text(variables.get('GIT_CONFIG_PARAMETERS'))
  for (const [, name = '', value = ''] of inner.matchAll(/'([^'=]+)(?:'=')?=?([^']*)'/g))
    found.push(`${name}=${value}`)
  for (const name of (options.get('config-env') ?? []).map(text)) {
    const cut = name.lastIndexOf('=')
    found.push(`${name.slice(0, cut)}=${text(variables.get(name.slice(cut + 1)))}`)
  }
  for (const [name, key] of variables)
    if (name.startsWith('GIT_CONFIG_KEY_'))
      found.push(`${text(key)}=${text(variables.get(name.replace('KEY', 'VALUE')))}`)
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

/** Words of a command of git that start a program, here or on another machine. */
const startingWord =
  /^(?:--(?:upload-pack|receive-pack|exec|open-files-in-pager|extcmd)[= ]|ext::)(.+)$|^-[Ox](.+)$/s

const git = (given: Call): Value | undefined => {
  const { options, operands } = readWords(given.words, globalOptions)
  const settings = settingsOf(given, options)
  const [verb, ...words] = operands
  const isInfo = options.has('version') || options.has('help')
  if (verb === undefined || isInfo) return empty
  const folders = options.get('C') ?? []
  const call = folders.length === 0 ? given : withState(given, folders.reduce(movedTo, given.state))
  for (const setting of settings) {
    const cut = setting.indexOf('=')
    const [, alias] = /^alias\.([^=]*)/i.exec(setting) ?? []
    if (alias !== undefined && verb.texts.includes(alias)) {
      const line = setting.slice(cut + 1)
      return line.startsWith('!')
        ? call.runsShell(literal(line.slice(1)))
        : call.runsShell(literal(`git ${line} ${words.map(text).join(' ')}`))
    }
    const [key, value] = [setting.slice(0, cut).toLowerCase(), setting.slice(cut + 1)]
    if (key === 'core.hookspath') {
      if (!/^(?:\/dev\/null)?$/.test(value)) call.find('remote-exec', 'loadsCode', setting)
    } else if (startingSetting.test(key)) call.runsShell(literal(value.replace(/^!/, '')))
  }
  if (options.get('exec-path')?.some((path) => text(path) !== '') === true)
    call.find('remote-exec', 'loadsCode', 'git --exec-path')
  for (const [index, word] of words.entries()) {
    const next = /^--[a-z-]+$/.test(text(word)) ? ` ${text(words[index + 1])}` : ''
    const [, long, short] = startingWord.exec(text(word) + next) ?? []
    if (long !== undefined || (short !== undefined && /^(?:grep|difftool|rebase)$/.test(text(verb))))
      call.runsShell(literal(long ?? short ?? ''))
  }
  for (const name of [
    'GIT_SSH_COMMAND',
    'GIT_EDITOR',
    'GIT_PAGER',
    'GIT_EXTERNAL_DIFF',
    'GIT_SEQUENCE_EDITOR',
    'GIT_ASKPASS',
  ]) {
    const line = given.given.variables.get(name)
    if (line !== undefined) call.runsShell(line)
  }
  for (const name of verb.texts) {
    if (isOpen(name)) continue
    const found = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (found !== undefined) found[1](createCall(call.name, words, found[0], call, settings.join(' ')))
    if (readsFiles.has(name) || words.some(({ texts }) => texts.includes('--no-index')))
      for (const word of words) call.reads(word)
    if (showsFiles.has(name)) {
      for (const word of words)
        for (const one of word.texts)
          if (/^[\w./~^@{}-]*:[^:]/.test(one)) call.reads(literal(one.replace(/^[^:]*:/, '')))
    }
    if (name === 'archive') return open(origin.folder)
    if (name === 'credential' && /^fill$/.test(text(words[0])))
      call.find('secret-access', 'printsKey', 'git credential')
    if (name === 'daemon' || name === 'instaweb') call.find('remote-exec', 'opensPort', `git ${name}`)
  }
  return open()
}

export const gitTools: Programs = {
  ...tools('git hub gix', '', git),
  ...tools('bfg git-filter-repo', '', finds('git-loss', 'rewritesHistory')),
}
