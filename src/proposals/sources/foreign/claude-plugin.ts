import { join, normalize } from 'node:path'
import { isObject, type Json } from '../../../core/model/base/json.ts'
import { got } from '../../../core/model/gate/problem.ts'
import { noHooks, proposeClaude, readDocument } from './claude-settings.ts'
import type { ForeignPorts, ReadForeign } from './foreign.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { unreadable, wrongFile, type Source } from '../source.ts'
import type { ReadDocument } from '../yaml.ts'

/**
 * This module reads a Claude Code plugin: a folder with hooks/hooks.json and a manifest, which can name more
 * files or hold hooks itself.
 */
const manifestFile = join('.claude-plugin', 'plugin.json')
const hooksFile = join('hooks', 'hooks.json')
/** The most hook files of one plugin. */
const maxFiles = 20

/** The events of a file are under "hooks". In a manifest they may be at the top level. */
const eventsOf = (value: Json): Json | undefined =>
  isObject(value) && isObject(value['hooks']) ? value['hooks'] : value

/** True for a path inside the plugin's folder. */
const isInside = (file: string): boolean =>
  !file.startsWith('/') && normalize(file) !== '..' && !normalize(file).startsWith('../')

/** Reads the "hooks" of a manifest: the names of more files, and hooks in the manifest itself. */
const readManifest = (
  value: Json | undefined,
  file: string,
): { readonly files: readonly string[]; readonly inline: readonly Json[] } | ReturnType<typeof wrongFile> => {
  if (value === undefined || value === null) return { files: [], inline: [] }
  const items = Array.isArray(value) ? value : [value]
  const files = items.flatMap((item) => (typeof item === 'string' ? [item] : []))
  const inline = items.filter((item) => typeof item !== 'string')
  const outside = files.find((one) => !isInside(one))
  if (outside !== undefined)
    return wrongFile(file, 'shape', `Expected "hooks" to name files of the plugin, got ${got(outside)}.`)
  return inline.every(isObject)
    ? { files, inline }
    : wrongFile(
        file,
        'shape',
        `Expected "hooks" to be hooks or the names of files with hooks, got ${got(value)}.`,
      )
}

const hooksIn = (
  document: ReadDocument,
  value: Json,
  place: string,
  root: string,
  ports: ForeignPorts,
): Source => {
  const hooks = eventsOf(value)
  if (!isObject(hooks)) return noHooks(place, hooks)
  return proposeClaude(
    hooks,
    { place, document, path: ['hooks'], root, alike: { dialect: 'claude-code' } },
    ports,
  )
}

/** Reads a plugin's folder. Its hooks get a sealed copy of that folder as CLAUDE_PLUGIN_ROOT. */
export const readClaudePlugin: ReadForeign = (place, ports) => {
  const listed = ports.list(place)
  if ('why' in listed) return unreadable(place, listed.why, 'folder')
  const isThere = (folder: string, name: string): boolean => {
    const names = listed.names.includes(`${folder}/`) ? ports.list(join(place, folder)) : undefined
    return names !== undefined && 'names' in names && names.names.includes(name)
  }
  const manifest = join(place, manifestFile)
  const document = isThere('.claude-plugin', 'plugin.json') ? readDocument(manifest, ports) : undefined
  if (document !== undefined && 'problem' in document) return document
  const declared = readManifest(isObject(document?.root) ? document.root['hooks'] : undefined, manifest)
  if ('problem' in declared) return declared
  const files = [
    ...new Set([
      ...(isThere('hooks', 'hooks.json') ? [hooksFile] : []),
      ...declared.files.map((file) => normalize(file)),
    ]),
  ]
  if (files.length === 0 && declared.inline.length === 0)
    return wrongFile(
      place,
      'shape',
      `Expected a plugin with ${hooksFile}, or with "hooks" in ${manifestFile}, got a folder with neither.`,
    )
  const proposed: ProposedHook[] = []
  const add = (source: Source, file: string): void => {
    const { problem } = source
    proposed.push(
      ...source.proposed,
      ...(problem === undefined
        ? []
        : [{ kind: 'invalid' as const, event: 'claude-plugin', command: file, problem }]),
    )
  }
  for (const name of files.slice(0, maxFiles)) {
    const file = join(place, name)
    const read = readDocument(file, ports)
    add('problem' in read ? read : hooksIn(read, read.root, file, place, ports), file)
  }
  if (files.length > maxFiles)
    add(
      wrongFile(
        manifest,
        'shape',
        `Expected at most ${maxFiles} files with hooks, got ${files.length}. The rest is not read.`,
      ),
      manifest,
    )
  if (document !== undefined)
    for (const value of declared.inline) add(hooksIn(document, value, manifest, place, ports), manifest)
  return { proposed }
}
