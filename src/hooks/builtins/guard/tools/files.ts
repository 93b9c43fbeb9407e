import { type Call, type Tools, tools } from '../call.ts'
import { isDisk, lossOf } from '../deleting.ts'
import { bringFolder, deleteFiles, pathsOf, readFiles, sendContent, writeFiles } from '../files.ts'
import { kindsOf } from '../places.ts'
import {
  either,
  empty,
  joined,
  literal,
  OPEN,
  open,
  origin,
  originsOf,
  STAR,
  TEMPORARY,
  type Value,
  valueOf,
} from '../value.ts'

export const reads = ({ machine, state }: Call, names: Value, isQuiet?: boolean): Value =>
  readFiles(machine, state, names, isQuiet)
export const writes = ({ machine, state }: Call, names: Value, content: Value, isAdded?: boolean): void =>
  writeFiles(machine, state, names, content, isAdded)

const deletes = (call: Call, names: readonly Value[], isRecursive: boolean, isWiped?: true): void => {
  for (const name of names)
    deleteFiles(call.machine, call.state, name, {
      isRecursive,
      ...(isWiped === undefined ? {} : { isWiped }),
    })
}

const at = (folder: Value, name: string): Value => joined([folder, literal('/'), literal(name)])
export const lastPart = (text: string): string => text.replace(/\/+$/, '').replace(/^.*[/:]/s, '')

/** A name such as `host:path`, which is on another machine. */
export const isRemote = (value: Value): boolean =>
  value.texts.some(
    (text) =>
      /^(?:[\w.-]+@)?[\w.\uE012-]*[\w\uE012]:(?!\\)|^(?:rsync|sftp|scp|s3|gs):\/\//.test(text) &&
      !/^[a-z]:\\/i.test(text),
  )
export const hostOf = (value: Value): string =>
  /^(?:\w+:\/\/)?(?:[^@/]*@)?([^:/]*)/.exec(value.texts[0] ?? '')?.[1] ?? ''

/** Copies files to a folder or a name. Their content goes with them. */
const copies = (call: Call, sources: readonly Value[], target: Value, isMoved = false): void => {
  for (const source of sources) {
    const content = reads(call, source, isMoved)
    const [name = ''] = source.texts
    writes(call, target, content)
    if (name !== '')
      call.state.files.set(pathsOf(at(target, lastPart(name)), call.state)[0] ?? '', { content })
    if (isMoved) for (const path of pathsOf(source, call.state)) call.state.files.delete(path)
  }
}

const copy = (call: Call): void => {
  if (call.has('help', 'attributes-only')) return
  const [given] = call.values('t')
  const sources = given === undefined ? call.operands.slice(0, -1) : call.operands
  const target = given ?? call.operands.at(-1)
  if (target === undefined || sources.length === 0) return
  copies(call, sources, target)
}

const move = (call: Call): void => {
  if (call.has('help')) return
  const [given] = call.values('t')
  const sources = given === undefined ? call.operands.slice(0, -1) : call.operands
  const target = given ?? call.operands.at(-1)
  if (target === undefined) return
  const isLost = target.texts.some((text) => text === '/dev/null')
  for (const source of sources)
    for (const path of pathsOf(source, call.state)) {
      const loss = lossOf(path, { isRecursive: true }, call.machine.cwd)
      if (loss === undefined) continue
      if (loss.isCertain === true) call.machine.find('destroy', 'movesSystem', path, true)
      else if (
        isLost ||
        loss.says === 'deletesKey' ||
        loss.says === 'deletesRecords' ||
        loss.says === 'deletesSystem'
      )
        call.machine.find(loss.effect, isLost ? loss.says : 'movesSystem', path)
    }
  copies(call, sources, target, true)
}

const rightsOf = (call: Call): void => {
  if (call.has('help', 'version')) return
  const { machine, state, name } = call
  const [mode = ''] = call.operands[0]?.texts ?? []
  const targets = call.has('reference') ? call.operands : call.operands.slice(1)
  for (const target of targets)
    for (const path of pathsOf(target, state)) {
      const isSystem = lossOf(path, { isRecursive: true }, machine.cwd)
      if (call.has('R')) {
        if (isSystem?.isCertain === true) machine.find('destroy', 'changesAllRights', path, true)
        else if (isSystem?.says === 'deletesOutside' || isSystem?.says === 'deletesSystem')
          machine.find('privilege', 'changesAllRights', path)
      }
      if (name === 'chmod') {
        if (/^[0-7]?[4-7][0-7]{3}$|[ug+,=]\S*s/.test(mode) && /^[2467]/.test(mode.padStart(4, '0')))
          machine.find('privilege', 'getsRights', path)
        else if (/^[ugoa]*\+\S*s|^[ug]\+s/.test(mode)) machine.find('privilege', 'getsRights', path)
        const isForAll =
          /^[0-7]?[0-7]{2}[2367]$/.test(mode) ||
          (/(?:^|,)(?:[ug]*[ao][ugoa]*)?[+=]r?w/.test(mode) &&
            /[ao]|^[+=]/.test(mode) &&
            !/^\+[rx]+$/.test(mode))
        if (isForAll && !/^u/.test(mode)) machine.find('privilege', 'opensToAll', path)
        const kinds = kindsOf(path)
        if (kinds.has('key') && !/^(?:0?[0-7]00|[ugoa]*-|go=$|u=)/.test(mode))
          machine.find('secret-access', 'opensToAll', path)
        if (
          (kinds.has('rights') || kinds.has('start')) &&
          !isForAll &&
          !path.startsWith(machine.cwd) &&
          !/^(?:0?[0-7]00|0?64[04]|0?755|[ugoa]*[-+][rx]|go-)/.test(mode)
        )
          machine.find('privilege', 'writesRights', path)
        if (/^0*$/.test(mode) && path.startsWith('~') && !path.includes('/'))
          machine.find('destroy', 'changesAllRights', path, true)
      } else if (/^(?:root|0)?(?::|$)/.test(mode) && /root|^0/.test(mode) && !call.has('R'))
        machine.find('privilege', 'writesRights', path)
    }
}

/** `find`: each of its actions runs on all that it finds. */
const find = (call: Call): Value => {
  const { words, machine, state } = call
  const texts = words.map((word) => word.texts[0] ?? '')
  const first = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-(?:[HLPDO]|O\d)$/.test(text))
  const starts = words
    .slice(0, first < 0 ? undefined : first)
    .filter((word) => !/^-[HLPDO]/.test(word.texts[0] ?? ''))
  const folders = starts.length === 0 ? [literal('.')] : starts
  const tests = first < 0 ? [] : texts.slice(first)
  const isNarrow =
    tests.some((text, index) => {
      const value = tests[index + 1] ?? ''
      return (
        /^-(?:i?name|i?path|i?regex|wholename)$/.test(text) &&
        tests[index - 1] !== '!' &&
        tests[index - 1] !== '-not' &&
        !/^[*.\uE013]*$/.test(value)
      )
    }) || tests.some((text) => /^-(?:empty|m(?:time|min)|a(?:time|min)|newer)/.test(text))
  for (let index = Math.max(0, first); index < words.length; index++) {
    const text = texts[index] ?? ''
    if (
      /^-i?name$|^-i?path$|^-i?regex$|^-newer|^-type$|^-size$|^-m|^-a(?:time|min)|^-user$|^-group$|^-perm$/.test(
        text,
      )
    ) {
      index++
      continue
    }
    if (/^-f(?:print0?|printf|ls)$/.test(text)) {
      const target = words[index + 1]
      if (target !== undefined) writes(call, target, open())
    }
    if (text === '-delete') {
      for (const folder of folders)
        for (const path of pathsOf(folder, state)) {
          const loss = lossOf(path, { isRecursive: true }, machine.cwd)
          if (loss?.isCertain === true && !isNarrow) machine.find('destroy', loss.says, path || '/', true)
          else if (
            loss !== undefined &&
            (!isNarrow || (loss.says !== 'deletesProject' && loss.says !== 'deletesFolder'))
          )
            machine.find('destroy', 'deletesFound', path)
        }
    }
    if (/^-(?:exec|ok)(?:dir)?$/.test(text)) {
      const rest = words.slice(index + 1)
      const end = rest.findIndex(({ texts: [one = ''] }) => one === ';' || one === '+')
      const inner = rest.slice(0, end < 0 ? undefined : end)
      const found = isNarrow
        ? either(folders.map((folder) => joined([folder, literal(`/${OPEN}`)])))
        : either(folders)
      const names = tests.filter((_, place) => /^-i?name$/.test(tests[place - 1] ?? ''))
      const meant =
        names.length > 0
          ? either(
              folders.flatMap((folder) =>
                names.map((one) => joined([folder, literal('/'), literal(one.replaceAll('*', STAR))])),
              ),
            )
          : found
      call.runs(
        inner.map((word) =>
          word.texts.some((one) => one.includes('{}'))
            ? valueOf(
                word.texts.flatMap((one) => meant.texts.map((path) => one.replaceAll('{}', () => path))),
                meant.from,
              )
            : word,
        ),
      )
      const verb = (inner[0]?.texts[0] ?? '').replace(/^.*\//s, '')
      if (/^(?:rm|unlink|shred|rimraf|truncate)$/.test(verb))
        for (const folder of folders)
          for (const path of pathsOf(folder, state)) {
            const loss = lossOf(path, { isRecursive: true }, machine.cwd)
            if (loss !== undefined && loss.says !== 'deletesProject' && loss.says !== 'deletesFolder')
              machine.find('destroy', 'deletesFound', path || '/')
          }
      index += inner.length + 1
    }
  }
  const names = tests.filter((_, place) => /^-i?name$/.test(tests[place - 1] ?? ''))
  return names.length === 0
    ? either(folders.map((folder) => joined([folder, literal(`/${STAR}`)])))
    : either(
        folders.flatMap((folder) =>
          names.map((one) => joined([folder, literal('/'), literal(one.replaceAll('*', STAR))])),
        ),
      )
}

const archive = (call: Call): Value => {
  const { machine } = call
  const all = call.words.map((word) => word.texts[0] ?? '')
  const letters = /^-?[a-zA-Z]+-?$/.test(all[0] ?? '') ? (all[0] ?? '').replace(/^-|-$/g, '') : ''
  const isCreated =
    letters.includes('c') || call.has('c', 'r', 'u') || all.some((text) => /^--(?:cr\w*|app\w*)$/.test(text))
  const isToOutput = letters.includes('O') || call.has('O')
  const withFile = letters.includes('f')
  for (const text of [...call.values('to-command'), ...call.values('I'), ...call.values('checkpoint-action')])
    call.runsShell(valueOf(text.texts.map((one) => one.replace(/^exec=/, ''))))
  for (const shell of call.values('rsh-command')) call.runsShell(shell)
  const operands = letters !== '' && !(all[0] ?? '').startsWith('-') ? call.operands.slice(1) : call.operands
  const bundled = withFile && call.values('f').length === 0
  const target = call.values('f')[0] ?? (bundled ? operands[0] : undefined)
  const sources = bundled ? operands.slice(1) : operands
  const settings = [...call.words, call.given.variables.get('TAR_OPTIONS') ?? empty]
  const options = settings.flatMap(({ texts }) => texts).find((text) => /--cr\w*.*--file=\S+:/.test(text))
  if (!isCreated && options === undefined) {
    if (isToOutput) return open(origin.decoded)
    if (call.has('remove-files') || letters.includes('U')) return open()
    // What comes by a pipe is unpacked here.
    if ((call.input.from & origin.network) !== 0)
      bringFolder(call.state, call.values('C')[0] ?? literal('.'), origin.network)
    if (target !== undefined && /x/.test(letters)) {
      const content = reads(call, target, true)
      if ((content.from & origin.network) !== 0)
        bringFolder(call.state, call.values('C')[0] ?? literal('.'), origin.network)
      const [folder] = call.values('C')
      if (folder?.texts.some((text) => text === '/')) machine.find('destroy', 'replacesByCopy', '/')
    }
    return open()
  }
  const isWhole = !call.has('no-recursion') && sources.length > 0
  const contents = sources.map((source) => reads(call, source))
  const folder =
    call.values('T').length > 0 ||
    (isWhole && sources.some((source) => source.texts.some((text) => !/\.\w{1,5}$/.test(lastPart(text)))))
  const content: Value = {
    texts: [OPEN],
    from: call.has('no-recursion') ? 0 : originsOf(contents) | (folder ? origin.folder : 0),
  }
  if (call.has('remove-files')) deletes(call, sources, true)
  if (options !== undefined || (target !== undefined && isRemote(target))) sendContent(machine, content)
  if (target === undefined || target.texts[0] === '-') return content
  writes(call, target, content)
  return empty
}

/** Reads its operands or its input, and prints them in some form. */
export const shows = (call: Call): Value => {
  const contents = call.operands.map((operand) => reads(call, operand))
  return contents.length === 0 ? call.input : either(contents)
}

const replace = (call: Call): void => {
  const { machine, state } = call
  const isDry = call.has('n', 'list-only', 'help')
  const target = call.operands.at(-1)
  for (const shell of call.values('e')) if (!/^\s*ssh\b/.test(shell.texts[0] ?? '')) call.runsShell(shell)
  if (target === undefined || isDry) return
  const sources = call.operands.slice(0, -1)
  if (isRemote(target)) {
    for (const source of sources) sendContent(machine, mayHoldKeys(call, source))
  } else if (sources.some(isRemote)) {
    writes(call, target, open(origin.network))
    for (const source of sources)
      writes(call, at(target, lastPart(source.texts[0] ?? '')), open(origin.network))
  } else copies(call, sources, target)
  const deleting = [...call.options.keys()].some((option) => /^del(?!ay-updates)/.test(option))
  if (call.has('remove-source-files'))
    deletes(
      call,
      sources.filter((source) => !isRemote(source)),
      true,
    )
  if (!deleting) return
  if (isRemote(target)) {
    machine.find('destroy', 'replacesByCopy', target.texts[0])
    return
  }
  for (const path of pathsOf(target, state)) {
    const loss = lossOf(path, { isRecursive: true }, machine.cwd)
    if (loss !== undefined) machine.find('destroy', 'replacesByCopy', path || '/', loss.isCertain)
  }
}

/** A file or folder that goes to another machine. */
export const mayHoldKeys = (call: Call, source: Value): Value => reads(call, source, true)

const disk = (call: Call): Value => {
  const settings = new Map(
    call.words.map((word) => {
      const [text = ''] = word.texts
      const cut = text.indexOf('=')
      return [
        text.slice(0, Math.max(0, cut)),
        valueOf(
          word.texts.map((one) => one.slice(cut + 1)),
          word.from,
        ),
      ] as const
    }),
  )
  const from = settings.get('if')
  const to = settings.get('of')
  const content = from === undefined ? call.input : reads(call, from)
  if (to === undefined) return content
  writes(call, to, content)
  for (const path of pathsOf(to, call.state)) {
    if (isDisk(path)) continue
    const isWiping = from?.texts.some((text) => /^\/dev\/(?:zero|u?random|full)$/.test(text)) === true
    if (
      isWiping &&
      !path.startsWith(TEMPORARY) &&
      /^[/~]/.test(path) &&
      !path.startsWith(`${call.machine.cwd}/`)
    )
      call.machine.find('destroy', 'wipes', path)
  }
  return empty
}

export const fileTools: Tools = {
  ...tools(
    'rm grm srm rm.sh',
    'r,R,recursive f,force i I interactive v,verbose d,dir one-file-system no-preserve-root preserve-root help version',
    (call) => {
      if (call.has('help', 'version')) return
      deletes(call, call.operands, call.has('r'))
    },
  ),
  ...tools('rmdir', 'p,parents help', () => undefined),
  ...tools('unlink', 'help', (call) => deletes(call, call.operands, false)),
  ...tools('rimraf del-cli trash-empty trash-rm', 'g,glob help', (call) =>
    call.name === 'trash-empty'
      ? call.machine.find('destroy', 'deletesFolder', '~/.local/share/Trash')
      : deletes(call, call.operands, true),
  ),
  ...tools(
    'shred wipe srm scrub',
    'u,remove n=,iterations= s=,size= z f v x random-source= help r,R q,Q=',
    (call) => {
      if (call.has('help')) return
      deletes(call, call.operands, true, true)
    },
  ),
  ...tools('truncate', 's=,size= r=,reference= c,no-create o help', (call) => {
    if (call.has('help')) return
    for (const name of call.operands)
      for (const path of pathsOf(name, call.state)) {
        const loss = lossOf(path, { isRecursive: false }, call.machine.cwd)
        if (loss !== undefined) call.machine.find(loss.effect, 'empties', path)
        else if (
          /^-?0*$/.test(call.values('s')[0]?.texts[0] ?? '') &&
          !path.startsWith(TEMPORARY) &&
          !/\.(?:log|out|tmp|txt)$/.test(path)
        )
          call.machine.find('destroy', 'empties', path)
      }
  }),
  ...tools(
    'cp gcp install pax',
    't=,target-directory= a,archive r,R,recursive attributes-only S=,suffix= m=,mode= o=,owner= g=,group= help',
    copy,
  ),
  ...tools('mv gmv rename', 't=,target-directory= f n S=,suffix= help', move),
  ...tools('ln link', 't=,target-directory= s,symbolic f,force n S=,suffix= help', copy),
  ...tools('tee sponge', 'a,append i p output-error help', (call) => {
    for (const operand of call.operands) writes(call, operand, call.input, call.has('a'))
    return call.input
  }),
  ...tools('dd dcfldd gdd', '', disk),
  ...tools('chmod chown chgrp', 'R,recursive reference= f v c help version from= h', rightsOf),
  ...tools('setfacl chattr chflags chcon', 'R,recursive m=,modify= x= b help', (call) => {
    for (const operand of call.operands)
      for (const path of pathsOf(operand, call.state))
        if (
          lossOf(path, { isRecursive: true }, call.machine.cwd)?.says === 'deletesSystem' ||
          kindsOf(path).size > 0
        )
          call.machine.find('privilege', 'writesRights', path)
  }),
  ...tools('setcap', '', (call) => call.machine.find('privilege', 'getsRights', call.text(0))),
  ...tools('find gfind bfs', '', find),
  ...tools(
    'fd fdfind',
    'x=,exec= X=,exec-batch= H,hidden I,no-ignore e=,extension= t=,type= d=,max-depth=',
    (call) => {
      const at2 = call.words.findIndex(({ texts }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(texts[0] ?? ''))
      if (at2 >= 0) {
        const inner = call.words
          .slice(at2 + 1)
          .map((word) => (word.texts[0]?.startsWith('{') === true ? literal(`./${OPEN}`) : word))
        call.runs(
          inner.length === call.words.length - at2 - 1 &&
            inner.every((word) => !word.texts.some((text) => text.includes(OPEN)))
            ? [...inner, literal(`./${OPEN}`)]
            : inner,
        )
      }
      return open()
    },
  ),
  ...tools(
    'tar gtar bsdtar star',
    'f=,file= C=,directory= T=,files-from= X=,exclude-from= exclude= to-command= checkpoint checkpoint-action= I=,use-compress-program= rsh-command= c,create r,append u,update x,extract,get t,list O,to-stdout z j J v p no-recursion remove-files help',
    archive,
  ),
  ...tools('cpio', 'o,create i,extract p,pass-through F=,file= O= I= H=', (call) =>
    call.has('o') ? open(origin.folder | call.input.from) : open(),
  ),
  ...tools('zip 7z 7za 7zr rar', 'r,recurse-paths m T TT= P= x= i= q y,yes move', (call) => {
    for (const text of call.values('TT')) call.runsShell(text)
    const seven = call.name !== 'zip'
    const operands = seven ? call.operands.slice(1) : call.operands
    const [target, ...sources] = operands
    if (target === undefined || (seven && !/^[au]$/.test(call.text(0)))) return
    const contents = sources.map((source) => reads(call, source))
    if (call.has('m', 'move')) deletes(call, sources, true)
    writes(call, target, {
      texts: [OPEN],
      from: originsOf(contents) | (call.has('r') || seven ? origin.folder : 0),
    })
  }),
  ...tools('unzip', 'd= o p,c P= l t', (call) => (call.has('p') ? open(origin.decoded) : undefined)),
  ...tools('gzip bzip2 xz zstd lz4 lzma compress pigz', 'k,keep c,stdout d,decompress S= o= f r', (call) => {
    if (call.operands.length === 0) return call.has('d') ? open(call.input.from | origin.decoded) : call.input
    const endings: Readonly<Record<string, string>> = {
      gzip: 'gz',
      pigz: 'gz',
      bzip2: 'bz2',
      xz: 'xz',
      zstd: 'zst',
      lz4: 'lz4',
      lzma: 'lzma',
      compress: 'Z',
    }
    const contents = call.operands.map((operand) => reads(call, operand, !call.has('c')))
    call.operands.forEach((operand, index) => {
      const content = contents[index] ?? empty
      if (!call.has('d', 'c'))
        writes(call, valueOf(operand.texts.map((text) => `${text}.${endings[call.name] ?? 'gz'}`)), content)
    })
    const all = either(contents)
    return call.has('c') ? { texts: [OPEN], from: all.from | (call.has('d') ? origin.decoded : 0) } : empty
  }),
  ...tools('gunzip bunzip2 unxz unzstd', 'c,stdout k', (call) =>
    call.has('c') || call.operands.length === 0 ? open(call.input.from | origin.decoded) : undefined,
  ),
  ...tools('zcat bzcat xzcat zstdcat gzcat', '', (call) =>
    open(origin.decoded | originsOf(call.operands.map((one) => reads(call, one))) | call.input.from),
  ),
  ...tools(
    'rsync',
    'n,dry-run list-only e=,rsh= a,archive r,recursive v z h P f=,filter= exclude= include= exclude-from= include-from= files-from= delete delete-before delete-during delete-after delete-delay delete-excluded delete-missing-args del remove-source-files B= T= password-file= port= out-format= log-file= help',
    replace,
  ),
}
