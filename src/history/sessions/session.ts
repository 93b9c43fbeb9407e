import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'

/** One tool call of a session, by the client's own names. */
export interface FoundCall {
  readonly id: string
  /** Epoch milliseconds. Undefined: the session does not say when. */
  readonly atMs: number | undefined
  /** Its session. Absent: the file is one. */
  readonly session?: string
  /** The folder of the call. Empty: unknown. */
  readonly cwd: string
  readonly tool: string
  readonly input: JsonObject
}

/** The person's home, and the variables that move a client's folder. */
export interface SessionPlaces {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface SessionFile {
  readonly path: string
  /** The text of a small file, by its path from the folder of this one. Undefined: it cannot be read. */
  beside(path: string): string | undefined
}

/**
 * How one client keeps its sessions. A file has a JSON object in each line (.jsonl), or one (.json), or rows
 * (.db).
 */
export interface SessionFormat {
  /** The version of the client whose files were read for this. */
  readonly seen: string
  /** The folders of its sessions, or files. */
  places(places: SessionPlaces): readonly string[]
  /** Whether a file is a session, by its path from the folder. */
  isSession(path: string): boolean
  /** A line without any of these texts is not parsed. */
  readonly marks: readonly string[]
  /** Makes the reader of one file, which gets its records in order. */
  open(file: SessionFile): (record: JsonObject) => readonly FoundCall[]
}

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** The objects of a list, and nothing for what is no list. */
export const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** Reads a time that is written as a date or as a number of milliseconds. */
export const timeOf = (value: Json | undefined): number | undefined => {
  const ms = typeof value === 'number' ? value : Date.parse(textOf(value))
  return Number.isFinite(ms) ? ms : undefined
}

/**
 * The arguments of a call, which some clients keep as a text. A text that is no object has the name `input`.
 */
export const inputOf = (value: Json | undefined): JsonObject => {
  if (typeof value !== 'string') return objectOf(value)
  try {
    const parsed = JSON.parse(value) as Json
    if (isObject(parsed)) return parsed
  } catch {
    // It is a text.
  }
  return { input: value }
}
