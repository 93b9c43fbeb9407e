import { isRemote, kindsOf, lastPart } from '../../places.ts'
import { type Call, finds, type Programs, tools } from '../../call.ts'
import { isDisk } from '../../deleting.ts'
import { linkFiles, patchFiles } from '../../files.ts'
import {
  empty,
  fits,
  literal,
  mapped,
  open,
  TEMPORARY,
  textOf,
  under,
  type Value,
} from '../../reading/value.ts'

/** What is copied, and where. */
const pairOf = (call: Call): { readonly sources: readonly Value[]; readonly target: Value | undefined } => {
  const [given] = call.values('t')
  return given === undefined
    ? { sources: call.operands.slice(0, -1), target: call.operands.at(-1) }
    : { sources: call.operands, target: given }
}

/** Copies files to a folder or a name. Their content goes with them. */
const copies = (
  call: Call,
  sources: readonly Value[],
  target: Value,
  how: 'copies' | 'moves' | 'links' = 'copies',
): void => {
  const isMoved = how === 'moves'
  for (const source of sources) {
    const content = call.reads(source, isMoved)
    const name = textOf(source)
    if (!isMoved)
      for (const path of call.paths(source))
        if (kindsOf(path).has('rights')) call.find('secret-access', 'copiesSystem', path)
    call.writes(target, content)
    const within = under(target, lastPart(name))
    if (name !== '') call.state.files.set(call.paths(within)[0] ?? '', { content })
    if (how !== 'copies' || /^\/(?:\w+\/){0,2}s?bin\//.test(name))
      for (const link of [target, within]) linkFiles(call.state, source, link, isMoved)
    if (isMoved && call.state.isCertain) for (const path of call.paths(source)) call.state.files.delete(path)
  }
}

const copy = (call: Call): void => {
  const { sources, target } = pairOf(call)
  if (target !== undefined) copies(call, sources, target, call.has('s') ? 'links' : 'copies')
}

const move = (call: Call): void => {
  const { sources, target } = pairOf(call)
  if (target === undefined) return
  const isLost = target.texts.some((text) => text === '/dev/null')
  for (const source of sources)
    for (const path of call.paths(source)) {
      const loss = call.loss(path)
      if (loss === undefined) continue
      if (loss.isCertain === true) call.find('destroy', 'movesSystem', path)
      else if (isLost || /^deletes(?:Key|Records|System)$/.test(loss.says))
        call.find(loss.effect, isLost ? loss.says : 'movesSystem', path)
    }
  copies(call, sources, target, 'moves')
}

const replace = (call: Call): void => {
  const target = call.operands.at(-1)
  for (const shell of call.values('e rsync-path')) call.runsShell(shell)
  if (target === undefined || call.has('n', 'list-only', 'help')) return
  const sources = call.operands.slice(0, -1)
  if (isRemote(target)) {
    for (const source of sources) call.sends(call.contentOf(source))
  } else if (sources.some(isRemote)) {
    for (const source of sources) call.writesInto(target, source, call.loads(source))
  } else copies(call, sources, target)
  const own = sources.filter((source) => !isRemote(source))
  if (call.has('remove-source-files')) call.deletes(own, true)
  if (![...call.options.keys()].some((option) => /^del(?!ay-updates)/.test(option))) return
  if (isRemote(target)) call.find('destroy', 'replacesByCopy', textOf(target))
  else
    for (const path of call.paths(target)) {
      const loss = call.loss(path)
      if (loss !== undefined) call.find('destroy', 'replacesByCopy', path || '/', loss.isCertain)
    }
}

const disk = (call: Call): Value => {
  const settings = new Map(
    call.words.map((word) => {
      const text = textOf(word)
      const cut = text.indexOf('=')
      return [text.slice(0, Math.max(0, cut)), mapped(word, (one) => one.slice(cut + 1))] as const
    }),
  )
  const from = settings.get('if')
  const to = settings.get('of')
  const content = from === undefined ? call.input : call.reads(from)
  if (to === undefined) return content
  call.writes(to, content)
  if (from !== undefined && fits(from, /^\/dev\/(?:zero|u?random|full)$/))
    for (const path of call.paths(to))
      if (/^[/~]/.test(path) && !isDisk(path) && !path.startsWith(`${call.machine.cwd}/`))
        call.find('destroy', 'wipes', path)
  return empty
}

const rightsOf = (call: Call): void => {
  const { find, machine, name } = call
  const mode = call.text(0)
  const targets = call.has('reference') ? call.operands : call.operands.slice(1)
  for (const path of targets.flatMap(call.paths)) {
    const loss = call.loss(path)
    if (call.has('R') && loss?.isCertain === true) find('destroy', 'changesAllRights', path, true)
    else if (call.has('R') && /^deletes(?:Outside|System)$/.test(loss?.says ?? ''))
      find('privilege', 'changesAllRights', path)
    if (name === 'chmod') {
      const isOwners = /^[0-7]?[4-7][0-7]{3}$|[ug+,=]\S*s/.test(mode) && /^[2467]/.test(mode.padStart(4, '0'))
      if (isOwners || /^[ugoa]*\+\S*s|^[ug]\+s/.test(mode)) find('privilege', 'getsRights', path)
      const isForAll =
        /^[0-7]?[0-7]{2}[2367]$/.test(mode) ||
        (/(?:^|,)(?:[ug]*[ao][ugoa]*)?[+=]r?w/.test(mode) &&
          /[ao]|^[+=]/.test(mode) &&
          !/^\+[rx]+$/.test(mode))
      if (isForAll && !mode.startsWith('u')) find('privilege', 'opensToAll', path)
      const kinds = kindsOf(path)
      if (kinds.has('key') && !/^(?:0?[0-7]00|[ugoa]*-|go=$|u=)/.test(mode))
        find('secret-access', 'opensToAll', path)
      if (
        (kinds.has('rights') || kinds.has('start')) &&
        !isForAll &&
        !path.startsWith(machine.cwd) &&
        !/^(?:0?[0-7]00|0?64[04]|0?755|[ugoa]*[-+][rx]|go-)/.test(mode)
      )
        find('privilege', 'writesRights', path)
      if (/^0*$/.test(mode) && path.startsWith('~') && !path.includes('/'))
        find('destroy', 'changesAllRights', path, true)
    } else if (/^(?:root|0)?(?::|$)/.test(mode) && /root|^0/.test(mode) && !call.has('R'))
      find('privilege', 'writesRights', path)
  }
}

export const fileTools: Programs = {
  ...tools`rm grm rm.sh: r,R,recursive help! version!`((call) => call.deletes(call.operands, call.has('r'))),
  ...tools`rmdir: help`(() => undefined),
  ...tools`unlink: help`((call) => call.deletes(call.operands, false)),
  ...tools`rimraf del-cli trash-rm: help`((call) => call.deletes(call.operands, true)),
  ...tools`trash-empty: help`(finds('destroy', 'deletesFolder', '~/.local/share/Trash')),
  ...tools`shred wipe srm scrub: n=,iterations= s=,size= random-source= help! r,R q,Q=`((call) =>
    call.deletes(call.operands, true, true),
  ),
  ...tools`truncate: s=,size= r=,reference= help!`((call) => {
    const isEmptied = /^-?0*$/.test(textOf(call.values('s')[0]))
    for (const path of call.operands.flatMap(call.paths)) {
      const loss = call.loss(path, false)
      const isKept = path.startsWith(TEMPORARY) || /\.(?:log|out|tmp|txt)$/.test(path)
      if (loss !== undefined || (isEmptied && !isKept)) call.find(loss?.effect ?? 'destroy', 'empties', path)
    }
  }),
  ...tools`cp gcp install pax:
    t=,target-directory= a,archive r,R,recursive attributes-only! s,symbolic-link S=,suffix= m=,mode=
    o=,owner= g=,group= help!`(copy),
  ...tools`mv gmv rename: t=,target-directory= S=,suffix= help!`(move),
  ...tools`ln link: t=,target-directory= s,symbolic S=,suffix= help`((call) => {
    const isAlone = call.operands.length === 1 && !call.has('t')
    const { sources, target } = isAlone ? { sources: call.operands, target: literal('.') } : pairOf(call)
    if (target !== undefined) copies(call, sources, target, call.has('s') ? 'links' : 'copies')
  }),
  ...tools`tee sponge: a,append help`((call) => {
    for (const operand of call.operands) call.writes(operand, call.input, call.has('a'))
    return call.input
  }),
  ...tools`apply_patch patch: p= i=,input= d=,directory= o=,output= R N`((call) => {
    const { state, operands } = call
    const isFile = call.name === 'patch'
    if (isFile) for (const file of operands.slice(0, 1)) call.writes(file, open(), true)
    for (const { texts } of [call.input, ...(isFile ? call.values('i').map(call.contentOf) : operands)])
      for (const text of texts) patchFiles(state, text)
  }),
  ...tools`dd dcfldd gdd`(disk),
  ...tools`rsync:
    n,dry-run list-only e=,rsh= a,archive r,recursive f=,filter= exclude= include= exclude-from=
    include-from= files-from= delete del remove-source-files rsync-path= M=,remote-option= B= T=
    password-file= port= out-format= log-file= help`(replace),
  ...tools`chmod chown chgrp: R,recursive reference= help! version! from=`(rightsOf),
  ...tools`setfacl chattr chflags chcon: R,recursive m=,modify= x= help`((call) => {
    for (const path of call.operands.flatMap(call.paths)) {
      const loss = call.loss(path)
      if (loss?.isCertain === true || loss?.says === 'deletesSystem' || kindsOf(path).size > 0)
        call.find('privilege', 'writesRights', path)
    }
  }),
  ...tools`setcap`(finds('privilege', 'getsRights', (call) => call.text(0))),
}
