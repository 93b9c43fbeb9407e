// The program as it is published, for the threads, hosts and programs that tests start. From the bundle they
// start in a third of the time that their sources take, and so they run as in use.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { execFileSync } from 'node:child_process'
import type { Plugin } from 'vite'

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

/** Builds the program, and resolves to what removes it again. */
export const setup = (): (() => void) => {
  mkdirSync(folders, { recursive: true })
  // What a run left that was killed.
  for (const name of readdirSync(folders))
    if (!isAlive(Number(name))) rmSync(join(folders, name), { recursive: true, force: true })
  execFileSync(process.execPath, [join(root, 'build.ts'), built], { stdio: ['ignore', 'ignore', 'inherit'] })
  process.env['HOOKGATE_CLI'] ??= join(built, 'src/cli.js')
  return () => rmSync(built, { recursive: true, force: true })
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
