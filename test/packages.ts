import { execFile } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { wechatTests } from './needs.ts'

const root = resolve(import.meta.dirname, '..')

/** The folders with packages that only some tests need. Each has a package.json and a lock of its own. */
export const packageFolders = ['bots/wechat', 'test/clients', 'test/fleet'] as const
export type PackageFolder = (typeof packageFolders)[number]

/** Links the packages that one tree has installed into another tree, for each folder that both have. */
export const linkPackages = (from: string, to: string): void => {
  // The tests of WeChat find its packages by a link that its installation makes.
  for (const folder of ['.', ...packageFolders, wechatTests]) {
    const packages = join(folder, 'node_modules')
    if (existsSync(join(from, packages)) && existsSync(join(to, folder)))
      symlinkSync(join(from, packages), join(to, packages))
  }
}

const isBusy = (error: unknown): boolean => (error as { readonly errcode?: unknown }).errcode === 5

/** Waits until no other process installs into the folder. A lock ends with the process that holds it. */
const lockFolder = async (folder: PackageFolder): Promise<DatabaseSync> => {
  const lock = new DatabaseSync(join(root, 'node_modules', `.${folder.replaceAll('/', '-')}.lock`))
  for (;;) {
    try {
      lock.exec('BEGIN EXCLUSIVE')
      return lock
    } catch (error) {
      if (!isBusy(error)) throw error
      await sleep(200)
    }
  }
}

/**
 * Installs the packages of a folder from its lock, where they are not there yet or the lock has changed
 * since. Several processes may call it at once.
 */
export const installPackages = async (folder: PackageFolder): Promise<void> => {
  const path = join(root, folder)
  const wanted = ['package.json', 'package-lock.json'].map((name) => readFileSync(join(path, name), 'utf8'))
  /** It has what was installed. npm takes it away when it installs something else. */
  const stamp = join(path, 'node_modules/.installed')
  const isInstalled = (): boolean => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted.join('\n')
  if (isInstalled()) return
  const lock = await lockFolder(folder)
  try {
    if (isInstalled()) return
    process.stderr.write(`Installing the packages of ${folder} from its lock.\n`)
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: path })
    writeFileSync(stamp, wanted.join('\n'))
  } finally {
    lock.close()
  }
}
