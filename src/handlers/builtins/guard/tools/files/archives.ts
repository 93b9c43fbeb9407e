import { isRemote, lastPart } from '../../places.ts'
import { bringFolder } from '../../files.ts'
import { type Call, type Programs, tools } from '../../call.ts'
import { empty, literal, mapped, open, origin, originsOf, textOf, type Value } from '../../reading/value.ts'

const archive = (call: Call): Value => {
  const all = call.texts
  const letters = /^-?[a-zA-Z]+-?$/.test(all[0] ?? '') ? (all[0] ?? '').replace(/^-|-$/g, '') : ''
  const isCreated =
    letters.includes('c') || call.has('c', 'r', 'u') || all.some((text) => /^--(?:cr\w*|app\w*)$/.test(text))
  const isToOutput = letters.includes('O') || call.has('O')
  const withFile = letters.includes('f')
  for (const text of call.values('to-command I F checkpoint-action rsh-command rmt-command'))
    call.runsShell(mapped(text, (one) => one.replace(/^exec=/, '')))
  const operands = letters !== '' && !(all[0] ?? '').startsWith('-') ? call.operands.slice(1) : call.operands
  const bundled = withFile && call.values('f').length === 0
  const target = call.values('f')[0] ?? (bundled ? operands[0] : undefined)
  const sources = bundled ? operands.slice(1) : operands
  const settings = [...call.words, call.given.variables.get('TAR_OPTIONS') ?? empty]
  const options = settings.flatMap(({ texts }) => texts).find((text) => /--cr\w*.*--file=\S+:/.test(text))
  if (!isCreated && options === undefined) {
    if (isToOutput) return open(origin.decoded)
    const [folder = literal('.')] = call.values('C')
    // The names in the archive stand for places of the whole machine.
    const isExtracted = letters.includes('x') || call.has('x')
    if (isExtracted && (letters.includes('P') || call.has('P') || folder.texts.includes('/')))
      call.find('destroy', 'writesSystem', '/')
    if (call.has('remove-files') || letters.includes('U')) return open()
    // What comes by a pipe is unpacked here.
    const read = target !== undefined && isExtracted ? call.reads(target, true).from : 0
    if (((call.input.from | read) & origin.network) !== 0) bringFolder(call.state, folder, origin.network)
    return open()
  }
  const isWhole = !call.has('no-recursion') && sources.length > 0
  const contents = sources.map((source) => call.reads(source))
  const isFolder =
    call.values('T').length > 0 ||
    (isWhole && sources.some(({ texts }) => texts.some((text) => !/\.\w{1,5}$/.test(lastPart(text)))))
  const content = open(call.has('no-recursion') ? 0 : originsOf(contents) | (isFolder ? origin.folder : 0))
  if (call.has('remove-files')) call.deletes(sources, true)
  if (options !== undefined || (target !== undefined && isRemote(target))) call.sends(content)
  if (target === undefined || textOf(target) === '-') return content
  call.writes(target, content)
  return empty
}

/** What stands behind the names of packed files, where it is not the program's own name. */
const endings: Readonly<Record<string, string>> = {
  gzip: 'gz',
  pigz: 'gz',
  bzip2: 'bz2',
  zstd: 'zst',
  compress: 'Z',
}

export const archiveTools: Programs = {
  ...tools`tar gtar bsdtar star:
    f=,file= C=,directory= T=,files-from= X=,exclude-from= exclude= to-command= checkpoint
    checkpoint-action= b= g=,listed-incremental= H=,format= K= N=,newer= V=,label= transform=,xform= owner=
    group= mode= mtime= strip-components= rmt-command= F=,info-script=,new-volume-script=
    I=,use-compress-program= rsh-command= c,create r,append u,update x,extract,get t,list P,absolute-names
    O,to-stdout no-recursion remove-files`(archive),
  ...tools`cpio: o,create p,pass-through F=,file= O= I= H=`((call) =>
    call.has('o') ? open(origin.folder | call.input.from) : open(),
  ),
  ...tools`zip 7z 7za 7zr rar: r,recurse-paths TT= P= x= i= move`((call) => {
    for (const text of call.values('TT')) call.runsShell(text)
    const seven = call.name !== 'zip'
    const operands = seven ? call.operands.slice(1) : call.operands
    const [target, ...sources] = operands
    if (target === undefined || (seven && !/^[au]$/.test(call.text(0)))) return
    const contents = sources.map((source) => call.reads(source))
    if (call.has('m', 'move')) call.deletes(sources, true)
    call.writes(target, open(originsOf(contents) | (call.has('r') || seven ? origin.folder : 0)))
  }),
  ...tools`unzip: d= p,c P=`((call) => {
    const [archive = empty] = call.operands
    if ((call.reads(archive, true).from & origin.network) !== 0)
      bringFolder(call.state, call.values('d')[0] ?? literal('.'), origin.network)
    return call.has('p') ? open(origin.decoded) : undefined
  }),
  ...tools`gzip bzip2 xz zstd lz4 lzma compress pigz: c,stdout d,decompress S= o=`((call) => {
    if (call.operands.length === 0) return call.has('d') ? open(call.input.from | origin.decoded) : call.input
    const contents = call.operands.map((operand) => call.reads(operand, !call.has('c')))
    call.operands.forEach((operand, index) => {
      const file = mapped({ ...operand, from: 0 }, (text) => `${text}.${endings[call.name] ?? call.name}`)
      if (!call.has('d', 'c')) call.writes(file, contents[index] ?? empty)
    })
    return call.has('c') ? open(originsOf(contents) | (call.has('d') ? origin.decoded : 0)) : empty
  }),
  ...tools`gunzip bunzip2 unxz unzstd: c,stdout`((call) =>
    call.has('c') || call.operands.length === 0 ? open(call.input.from | origin.decoded) : undefined,
  ),
  ...tools`zcat bzcat xzcat zstdcat gzcat`((call) =>
    open(origin.decoded | originsOf(call.operands.map((one) => call.reads(one))) | call.input.from),
  ),
}
