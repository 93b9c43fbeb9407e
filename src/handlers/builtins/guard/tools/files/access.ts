import type { Call } from '../../call.ts'
import { deleteFiles, readFiles, writeFiles } from '../../files.ts'
import { joined, literal, open, origin, type Value } from '../../reading/value.ts'

const isInput = (text: string): boolean => /^\/dev\/stdin$|^\/(?:dev|proc\/[^/]+)\/fd\/0$/.test(text)

/** The content of files. The input has names, too. */
export const reads = ({ machine, state, input }: Call, names: Value, isQuiet?: boolean): Value =>
  names.texts.every(isInput) ? input : readFiles(machine, state, names, isQuiet)

export const writes = ({ machine, state }: Call, names: Value, content: Value, isAdded?: boolean): void =>
  writeFiles(machine, state, names, content, isAdded)

export const deletes = (call: Call, names: readonly Value[], isRecursive: boolean, isWiped?: true): void => {
  for (const name of names)
    deleteFiles(call.machine, call.state, name, {
      isRecursive,
      isWiped,
    })
}

export const at = (folder: Value, name: string): Value => joined([folder, literal('/'), literal(name)])

export const lastPart = (text: string): string => text.replace(/\/+$/, '').replace(/^.*[/:]/s, '')

/** Folders of the whole machine or person. */
export const ofAll = /^(?:\/|~\/?|\/(?:etc|home|root|var|Users)(?:\/.*)?)$/

/** What another machine sends. A place of keys is one there, too. */
export const loadsFrom = (call: Call, source: Value): Value => {
  const paths = source.texts.map((text) => text.replace(/^(?:\w+:\/\/[^/]*|[^:]*:)/, ''))
  return open(call.readsKey({ ...source, texts: paths }).from | origin.network)
}

/** A name such as `host:path`, which is on another machine. */
export const isRemote = (value: Value): boolean =>
  value.texts.some(
    (text) =>
      /^(?:[\w.-]+@)?[\w.\uE012-]*[\w\uE012]:(?!\\)|^(?:rsync|sftp|scp|s3|gs):\/\//.test(text) &&
      !/^[a-z]:\\/i.test(text),
  )
