/**
 * Builds a revision that has no build.ts, into the folder argv[2]. Such revisions are older than the first
 * release: this file goes when nobody compares with them any more.
 */
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'

const [to = ''] = process.argv.slice(2)
const tree = import.meta.dirname
const compiler = join(tree, 'node_modules/typescript/bin/tsc')
const options = ['--project', 'src', '--outDir', to, '--declaration', 'false', '--noCheck']
execFileSync(process.execPath, [compiler, ...options], { cwd: tree, stdio: 'inherit' })
cpSync(join(tree, 'bots/web/page'), join(to, 'bots/web/page'), { recursive: true })
