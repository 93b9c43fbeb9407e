import { oneOf } from '../patterns.ts'
import { either, isCut, literal, OPEN, open, origin, STAR, type Value, valueOf } from './reading/value.ts'
import { type Deleting, inside, isDisk, lossOf } from './deleting.ts'
import { type State, TooMuchError, type Written } from './machine.ts'
import { kindsOf, normal } from './places.ts'

const maxLinks = 64

const maxFileUnits = 32 * 1024

/** The path and those behind the links of the line. A link can be meant itself, not what is behind it. */
const followed = (path: string, links: State['links'], isLinkMeant: boolean): readonly string[] => [
  path,
  ...[...links]
    .filter(
      ([link, { isMoved }]) => path.startsWith(`${link}/`) || (path === link && (isMoved || !isLinkMeant)),
    )
    .map(([link, { target }]) => normal(target + path.slice(link.length), '/')),
]

/** The paths that names can mean, in normal form. */
export const pathsOf = ({ texts }: Value, state: State, isLinkMeant = false): readonly string[] => {
  const all = texts.flatMap((text) =>
    /^[/~\uE012\uE015]/.test(text)
      ? [normal(text, '/')]
      : state.folder.texts.map((folder) => normal(text, folder)),
  )
  const paths = state.links.size === 0 ? all : all.flatMap((path) => followed(path, state.links, isLinkMeant))
  return [...new Set(paths)]
}

/** Says that the line links files to another name, or moves them there. */
export const linkFiles = (state: State, source: Value, name: Value, isMoved: boolean): void => {
  for (const link of pathsOf(name, state, true))
    for (const text of source.texts.slice(0, 2)) {
      const folder = isMoved ? (state.folder.texts[0] ?? '/') : link.replace(/\/[^/]*$/, '')
      const target = followed(normal(text, folder), state.links, false).at(-1) ?? ''
      // A folder that holds both is no link, but gets one.
      if (!inside(target, link)) state.links.set(link, { target, isMoved })
      if (state.links.size > maxLinks) throw new TooMuchError()
    }
}

/** The state of a program that starts in another folder. */
export const movedTo = (state: State, folder: Value): State => ({
  ...state,
  folder: valueOf(pathsOf(folder, state)),
})

/** Something leaves for another machine. `isByLogin`: for one where the owner has a login. */
export const sendContent = ({ machine }: State, content: Value, isByLogin = false): void => {
  if ((content.from & origin.key) !== 0) machine.find('secret-access', 'sendsKey')
  else if ((content.from & origin.environment) !== 0) machine.find('secret-access', 'sendsEnvironment')
  else if ((content.from & origin.maybeKey) !== 0) machine.find('secret-access', 'sendsMaybeKey')
  else if ((content.from & origin.folder) !== 0 && !isByLogin) machine.find('secret-access', 'sendsFolder')
}

/** A file in a folder that the line brings from the network, such as a clone. */
const broughtWith = (path: string, { files }: State): Written | undefined => {
  if (files.size === 0) return undefined
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const folder = files.get(`${path.slice(0, at)}/${STAR}`)
    if (folder !== undefined) return folder
  }
  return undefined
}

/** The content of a file that the line writes or brings, by its path in normal form. */
const writtenAt = (path: string, state: State): Written | undefined =>
  state.files.get(path) ?? broughtWith(path, state)

/** The line writes one of these files, or brings it. */
export const isWritten = (names: Value, state: State): boolean =>
  state.files.size > 0 && pathsOf(names, state).some((path) => writtenAt(path, state) !== undefined)

/** Says that a folder and all that is in it is brought by the line. */
export const bringFolder = (state: State, folder: Value, from: number): void => {
  for (const path of pathsOf(folder, state)) state.files.set(`${path}/${STAR}`, { content: open(from) })
}

/**
 * Returns the content of files. A place of keys is found when it is read, unless `isQuiet`, where its content
 * does not come to the agent.
 */
export const readFiles = (state: State, names: Value, isQuiet = false): Value => {
  const { machine } = state
  const texts: string[] = []
  let from = 0
  for (const path of pathsOf(names, state)) {
    machine.step()
    if (isCut(path)) machine.find('unreadable', 'tooMuch')
    const [, stream] = /^\/(?:dev|proc\/[^/]*)\/fd\/(\w+)$/.exec(path) ?? []
    const written = writtenAt(path, state) ?? (stream === undefined ? undefined : state.streams.get(stream))
    if (written !== undefined) {
      texts.push(...written.content.texts)
      from |= written.content.from
      if ((written.content.from & origin.key) !== 0 && !isQuiet)
        machine.find('secret-access', 'readsKey', path)
      continue
    }
    texts.push(OPEN)
    from |= origin.file
    if (/^\/dev\/(?:tcp|udp)\//.test(path)) from |= origin.network
    const kinds = kindsOf(path)
    if (kinds.has('key')) {
      from |= origin.key
      if (!isQuiet) machine.find('secret-access', 'readsKey', path)
    } else if (kinds.has('maybe-key')) from |= origin.maybeKey
  }
  // One long file is read as a whole.
  return texts.length === 1 ? { texts, from } : valueOf(texts, from)
}

/** A program of one's own by the name of a usual one is started in its place. */
const shadowsProgram = new RegExp(
  `^(?:~/(?:\\.local/)?bin|/usr/local/s?bin)/${oneOf`
    ls cat cp mv rm ps grep find make git ssh sudo su python3? node npm npx curl wget bash sh zsh
    docker kubectl vim? nano open claude codex gemini
  `}$`,
)

/** Writes files. Content of the line itself is known to a later command. */
export const writeFiles = (state: State, names: Value, content: Value, isAdded = false): void => {
  const { machine } = state
  for (const path of pathsOf(names, state)) {
    machine.step()
    if (isCut(path)) machine.find('unreadable', 'tooMuch')
    if (/^\/dev\/(?:tcp|udp)\//.test(path)) {
      sendContent(state, content)
      continue
    }
    const before = state.files.get(path)
    before?.feeds?.(content)
    if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(path)) continue
    const isSum = (isAdded || !state.isCertain) && before !== undefined
    const [old, added] = [before?.content.texts[0] ?? '', content.texts[0] ?? '']
    // Files are read as a whole, so that they may be longer than words.
    const whole = isAdded && old.length + added.length < maxFileUnits ? [old + added] : []
    const sum = either([before?.content ?? content, content])
    state.files.set(path, {
      content: isSum ? { ...sum, texts: [...new Set([...whole, ...sum.texts])] } : content,
      feeds: before?.feeds,
    })
    if (isDisk(path)) machine.find('destroy', 'overwritesDisk', path, true)
    const kinds = kindsOf(path)
    if (kinds.has('start') || shadowsProgram.test(path)) machine.find('persistence', 'writesStart', path)
    else if (kinds.has('rights')) machine.find('privilege', 'writesRights', path)
    else if (kinds.has('records') && !isAdded) {
      if (path.startsWith('/var/log')) machine.find('destroy', 'deletesLog', path)
      else machine.find('git-loss', 'writesRecords', path)
    } else if (kinds.has('key') && !inside(path, machine.cwd))
      machine.find('secret-access', 'writesKey', path)
    else if (/^\/(?:bin|sbin|lib\w*|usr|etc)\//.test(path) && !/^\/usr\/(?:local|src)\//.test(path))
      machine.find('privilege', 'writesSystem', path)
    if (content.texts.some((text) => text.includes('[redacted: ')))
      machine.find('destroy', 'writesPlaceholder', path, true)
  }
}

export const deleteFiles = (state: State, names: Value, how: Deleting): void => {
  const { machine } = state
  for (const path of pathsOf(names, state, true)) {
    machine.step()
    if (isCut(path)) machine.find('unreadable', 'tooMuch')
    // What the line made itself can go.
    const isMade = state.files.has(path) && !how.isRecursive
    if (state.isCertain) state.files.delete(path)
    const loss = isMade ? undefined : lossOf(path, how, machine.cwd)
    if (loss !== undefined) machine.find(loss.effect, loss.says, loss.about, loss.isCertain)
  }
}

/** The files that a patch in the form of `apply_patch` or of `diff` changes. */
const patched = (patch: string): readonly { readonly path: string; readonly isDeleted: boolean }[] =>
  [
    ...patch.matchAll(
      /^(?:\*\*\* (?:(?:Add|Update|(Delete)) File|Move to): (.+)|(?:\+\+\+ (?:b\/)?|--- (?:a\/)?)([^\t\n]+))$/gm,
    ),
  ]
    .map(([, deleted, file, changed]) => ({
      path: (file ?? changed ?? '').trim(),
      isDeleted: deleted !== undefined,
    }))
    .filter(({ path }) => path !== '' && path !== '/dev/null')

/** Changes the files that a patch names. */
export const patchFiles = (state: State, text: string): void => {
  for (const { path, isDeleted } of patched(text)) {
    state.machine.part = path
    if (isDeleted) deleteFiles(state, literal(path), { isRecursive: false })
    else writeFiles(state, literal(path), literal(text))
  }
}
