import { symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { execa } from 'execa'

const root = resolve(import.meta.dirname, '..')

/** Builds the program in a folder as it is published, and returns the path of its command. */
export const buildProgram = async (folder: string): Promise<string> => {
  await execa(process.execPath, [join(root, 'build.ts'), join(folder, 'dist')])
  for (const name of ['package.json', 'node_modules', 'config', 'examples'])
    await symlink(join(root, name), join(folder, name))
  return join(folder, 'dist/src/cli.js')
}
