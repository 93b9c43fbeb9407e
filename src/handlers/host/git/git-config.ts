/**
 * The settings of a repository that the git of its hooks gets. The author of that file could name programs
 * under more keys than anyone can list. So only these keys are copied, and each only with a value of its
 * form.
 */
const yesOrNo = /^(?:true|false|yes|no|on|off|[01]|)$/i
const word = /^[a-z0-9]{1,20}$/
const text = /^[^\u0000-\u001f\u007f]{0,1000}$/

const harmless: Readonly<Record<string, RegExp>> = {
  'core.repositoryformatversion': /^\d{1,9}$/,
  'core.filemode': yesOrNo,
  'core.symlinks': yesOrNo,
  'core.ignorecase': yesOrNo,
  'core.precomposeunicode': yesOrNo,
  'core.quotepath': yesOrNo,
  'core.trustctime': yesOrNo,
  'core.sparsecheckout': yesOrNo,
  'core.sparsecheckoutcone': yesOrNo,
  'index.sparse': yesOrNo,
  'core.autocrlf': /^(?:true|false|yes|no|on|off|input)$/i,
  'core.eol': /^(?:lf|crlf|native)$/i,
  'core.checkstat': /^(?:default|minimal)$/i,
  'core.abbrev': /^(?:auto|no|\d{1,2})$/i,
  'extensions.objectformat': word,
  'extensions.compatobjectformat': word,
  'extensions.refstorage': word,
  'user.name': text,
  'user.email': text,
  'init.defaultbranch': text,
  'remote.pushdefault': text,
  'remote.*.url': text,
  'remote.*.pushurl': text,
  'remote.*.fetch': text,
  'branch.*.remote': text,
  'branch.*.pushremote': text,
  'branch.*.merge': text,
  'branch.*.description': text,
}
/** At least the files of a submodule are ignored: to look at them, git would enter another repository. */
const ignoredSubmodule = 'submodule.*.ignore'

const maxSettings = 2000
const maxNameChars = 250

interface Setting {
  readonly section: string
  readonly subsection: string | undefined
  readonly key: string
  readonly value: string
}

const lineEnd = (source: string, at: number): number => {
  const end = source.indexOf('\n', at)
  return end < 0 ? source.length : end
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' }
const header = /^\[([A-Za-z0-9.-]{1,250})(?:[ \t]+"((?:[^"\\\n]|\\[^\n]){0,500})")?\]/
const variable = /^([A-Za-z][A-Za-z0-9-]{0,100})[ \t]*(=?)[ \t]*/

/** The value that begins at `start`, and the end of its line. Undefined when git could not read it either. */
const valueAt = (
  source: string,
  start: number,
): { readonly value: string; readonly end: number } | undefined => {
  let [value, solid, isQuoted, at] = ['', 0, false, start]
  for (; at < source.length; at++) {
    const char = source.charAt(at)
    if (char === '\n') break
    if (!isQuoted && (char === '#' || char === ';')) {
      at = lineEnd(source, at)
      break
    }
    if (char === '"') {
      isQuoted = !isQuoted
      solid = value.length
    } else if (char === '\\') {
      at += 1
      const next = source.charAt(at)
      if (next === '\n') continue
      const escaped = escapes[next]
      if (escaped === undefined) return undefined
      value += escaped
      solid = value.length
    } else {
      value += char
      if (isQuoted || !/\s/.test(char)) solid = value.length
    }
  }
  return isQuoted ? undefined : { value: value.slice(0, solid), end: at }
}

/**
 * The settings of a file in git's format, up to the first text that git could not read. `include` is not
 * followed.
 */
const settingsOf = (source: string): readonly Setting[] => {
  const found: Setting[] = []
  let [section, subsection, at]: [string, string | undefined, number] = ['', undefined, 0]
  while (at < source.length) {
    const char = source.charAt(at)
    if (/\s/.test(char) || char === '\ufeff') at += 1
    else if (char === '#' || char === ';') at = lineEnd(source, at)
    else if (char === '[') {
      const [all, name = '', quoted] = header.exec(source.slice(at, at + 1000)) ?? []
      if (all === undefined) return found
      const dot = name.indexOf('.')
      section = (dot < 0 ? name : name.slice(0, dot)).toLowerCase()
      subsection =
        quoted?.replaceAll(/\\([^])/g, '$1') ?? (dot < 0 ? undefined : name.slice(dot + 1).toLowerCase())
      at += all.length
    } else {
      const [all, key = '', equals = ''] = variable.exec(source.slice(at, at + 200)) ?? []
      if (all === undefined) return found
      const read = equals === '' ? { value: 'true', end: at + all.length } : valueAt(source, at + all.length)
      if (read === undefined) return found
      found.push({ section, subsection, key: key.toLowerCase(), value: read.value })
      at = read.end
    }
  }
  return found
}

const isShort = ({ subsection = '' }: Setting): boolean =>
  subsection.length <= maxNameChars && text.test(subsection)

const nameOf = ({ section, subsection, key }: Setting): string =>
  subsection === undefined ? `${section}.${key}` : `${section}.*.${key}`

const isHarmless = (setting: Setting): boolean =>
  isShort(setting) && harmless[nameOf(setting)]?.test(setting.value) === true

const quoted = (value: string): string => `"${value.replaceAll(/["\\]/g, '\\$&')}"`

const lineOf = ({ section, subsection, key, value }: Setting): string =>
  `[${section}${subsection === undefined ? '' : ` ${quoted(subsection)}`}]\n\t${key} = ${quoted(value)}\n`

/** The settings of every such configuration. They come last, so that they override the copied ones. */
const ours = `[core]
	bare = false
	fsmonitor = false
	hooksPath = /dev/null
	alternateRefsCommand = true
[diff]
	ignoreSubmodules = dirty
[gc]
	auto = 0
`

/** Builds the configuration for hooks from the repository's own and from its `.gitmodules`. */
export const cleanConfig = (config: string, gitmodules: string): string => {
  const own = settingsOf(config)
  const taken = own.filter(isHarmless)
  // Each setting without a subsection is written once and first: a file may name thousands of remotes.
  const plain = new Map(
    taken.filter(({ subsection }) => subsection === undefined).map((one) => [nameOf(one), one]),
  )
  const named = taken.filter(({ subsection }) => subsection !== undefined)
  const ignored = [...settingsOf(gitmodules), ...own]
    .filter((one) => nameOf(one) === ignoredSubmodule && isShort(one))
    .map((one) => ({ ...one, value: one.value === 'all' ? 'all' : 'dirty' }))
  const lists = [[...plain.values()], named.slice(0, maxSettings), ignored.slice(0, maxSettings)]
  return lists.flat().map(lineOf).join('') + ours
}
