// The program as it is published, for the threads, hosts and programs that tests start. From the bundle they
// start in a third of the time that their sources take, and so they run as in use.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import { build } from '../build.ts'

const root = resolve(import.meta.dirname, '..')
/** Each run has a folder of its own, named by its process. */
const folders = join(root, '.built')
const built = join(folders, String(process.pid))

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The sources of what tests start, of the last build: of threads and hosts, or of the whole program, too. */
let sources = { parts: new Set<string>(), program: new Set<string>() }
const programs = ['src/cli', 'src/attack/program']

const buildHere = async (): Promise<void> => {
  const entries = [...(await build(built))]
  const of = (isWanted: (name: string) => boolean): Set<string> =>
    new Set(entries.flatMap(([name, files]) => (isWanted(name) ? [...files] : [])))
  sources = { parts: of((name) => !programs.includes(name) && name !== 'src/index'), program: of(() => true) }
}

/** Builds the program, and resolves to what removes it again. */
export const setup = async (): Promise<() => void> => {
  mkdirSync(folders, { recursive: true })
  // What a run left that was killed.
  for (const name of readdirSync(folders))
    if (!isAlive(Number(name))) rmSync(join(folders, name), { recursive: true, force: true })
  await buildHere()
  process.env['HOOKGATE_CLI'] ??= join(built, 'src/cli.js')
  return () => rmSync(built, { recursive: true, force: true })
}

/** Builds anew after a source has changed, where what is started is made of it. */
export const rebuild = async (file: string, isProgramStarted: boolean): Promise<void> => {
  if ((isProgramStarted ? sources.program : sources.parts).has(file)) await buildHere()
}

/** A module finds what it starts by its own address. Here it gets the address that it has in the bundle. */
export const addressesInBuilt: Plugin = {
  name: 'addresses-in-built',
  enforce: 'pre',
  transform: (code, id) => {
    const path = relative(root, id).replaceAll('\\', '/')
    if (!/^(?:src|bots)\/.*\.ts$/.test(path) || !code.includes('import.meta.url')) return
    const address = pathToFileURL(join(built, path.replace(/\.ts$/, '.js'))).href
    return { code: code.replaceAll('import.meta.url', JSON.stringify(address)), map: null }
  },
}
