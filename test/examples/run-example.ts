import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { isEventName, type EventName } from '../../src/core/model/events/event.ts'
import type { Json, JsonObject } from '../../src/core/model/base/json.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'

/** The full path of an example; a full path stays as it is. */
export const examplePath = (file: string): string =>
  resolve(fileURLToPath(new URL('../../examples', import.meta.url)), file)

/** The events that an example names in its own text. */
export const eventsOf = (file: string): readonly EventName[] => {
  const [, list = ''] =
    /^(?:const )?(?:EVENTS|events) = [([{]([^)\]}]+)[)\]}]/m.exec(readFileSync(examplePath(file), 'utf8')) ??
    []
  return [...list.matchAll(/["'](\w+)["'](?=[,:]|$)/g)].map(([, name = '']) => name).filter(isEventName)
}

/**
 * What a hook gets: a fixed PATH, an empty HOME, and nothing of this process. The node of the test comes
 * first in it.
 */
const hookEnv = (home: string): Record<string, string> => ({
  PATH: [dirname(process.execPath), '/usr/local/bin', '/opt/homebrew/bin', '/usr/bin', '/bin'].join(':'),
  LANG: 'C.UTF-8',
  TMPDIR: tmpdir(),
  HOME: home,
  PYTHONNOUSERSITE: '1',
})

export interface Workspace {
  readonly folder: string
  readonly remove: () => void
}

export const makeWorkspace = (): Workspace => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookgate-examples-')))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface Ran {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Starts an example as the hook host does: the program itself, no shell, the text on stdin. */
export const runProgram = async (
  file: string,
  stdin: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Ran> => {
  const ran = await execa(examplePath(file), args, {
    input: stdin,
    cwd: folder,
    env: { ...hookEnv(folder), ...env },
    extendEnv: false,
    reject: false,
    timeout: 20_000,
  })
  return { exitCode: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }
}

/**
 * The example's answer to an event, {} when it printed nothing. Throws when it did not end well or printed
 * something else.
 */
export const ask = async (
  file: string,
  event: EventName,
  fields: JsonObject,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<JsonObject> => {
  const payload: Json = { ...syntheticPayload(event, folder, new Date('2026-01-02T03:04:05Z')), ...fields }
  const { exitCode, stdout, stderr } = await runProgram(file, JSON.stringify(payload), folder, env)
  if (exitCode !== 0) throw new Error(`${file} ended with ${exitCode}: ${stderr}`)
  return stdout === '' ? {} : (JSON.parse(stdout) as JsonObject)
}
