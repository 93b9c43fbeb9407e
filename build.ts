// Builds the program as it is published: `node build.ts [folder]`. `node build.ts --types` adds the types of
// its public module.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join, posix, relative, resolve } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'

const root = import.meta.dirname

/** What is started by its path: programs, the public module, and the bodies of threads. */
const started = [
  'src/agents/host',
  'src/attack/program',
  'src/cli',
  'src/compose/proposal-reader/thread',
  'src/history/sessions/thread',
  'src/history/worker',
  'src/handlers/builtins/redact/worker',
  'src/handlers/evidence/relay-process',
  'src/handlers/host/git/git-elsewhere',
  'src/handlers/host/process',
  'src/index',
  'src/store/sqlite/worker',
]

const addressOf = /addressOfModule\("([^"]+)"\)/g

/**
 * A module finds its threads, its programs and its files by its own address. In a bundle it keeps the address
 * that it would have as a file of its own.
 */
const keepAddresses: Plugin = {
  name: 'keep-addresses',
  transform: (code, id) => {
    const path = relative(root, id).replaceAll('\\', '/')
    if (!/^(?:src|bots)\//.test(path)) return
    return code.replaceAll('import.meta.url', `addressOfModule("${path.replace(/\.ts$/, '.js')}")`)
  },
  renderChunk: (code, { fileName }) =>
    code.replaceAll(addressOf, (_, path: string) => {
      const from = posix.relative(posix.dirname(fileName), path)
      return `new URL("${from.startsWith('.') ? from : `./${from}`}", import.meta.url).href`
    }),
}

/**
 * A process keeps the text of its code. A text in which every character fits into one byte takes half of the
 * memory, so the others are escaped: here those of tagged templates, and all others by the option `charset`.
 */
const oneByte: Plugin = {
  name: 'one-byte',
  renderChunk: (code) => {
    const [unescapable] = /String\.raw`[^`]*[^\x00-\xff]/.exec(code) ?? []
    if (unescapable !== undefined) throw new Error(`Expected an escape in a raw text, got ${unescapable}`)
    return code.replaceAll(
      /[^\x00-\xff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  },
}

/**
 * What we use of these is a small part of their many files, which a start would load and an installation
 * would write: one table, and no text in fifty languages. Our public types name those of zod.
 */
const inBundle = /^(?:libphonenumber-js\/min\/metadata|zod)$/

/**
 * Builds into a folder, and resolves with the sources of each file that is started. A start reads some files
 * instead of hundreds. The other libraries stay outside, so that they can be updated by themselves.
 */
export const build = async (dir: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(started.map((name) => [name, `${name}.ts`])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !inBundle.test(id),
    plugins: [keepAddresses, oneByte],
  })
  const { output } = await bundle.write({
    dir,
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'src/parts/[name]-[hash].js',
    charset: 'ascii',
    comments: { jsdoc: false },
  })
  // npm sets this bit only when it installs, so the second build would take the command away.
  chmodSync(join(dir, 'src/cli.js'), 0o755)
  // The scripts of the page run in the browser as they are.
  cpSync(join(root, 'bots/web/page'), join(dir, 'bots/web/page'), { recursive: true })
  for (const file of globSync('node_modules/{libphonenumber-js,zod}/LICENSE*', { cwd: root }))
    cpSync(join(root, file), join(dir, 'licenses', relative('node_modules', file)))
  // In a clone, the packages of WeChat are beside its bot. An installed hookgate has them beside itself.
  if (existsSync(join(root, 'bots/wechat/node_modules')))
    symlinkSync(join(root, 'bots/wechat/node_modules'), join(dir, 'node_modules'))
  // `hookgate --version` names the commit, where there is one.
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status === 0) writeFileSync(join(dir, 'commit'), stdout)
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])))
  const sourcesOf = (fileName: string, known = new Set<string>()): ReadonlySet<string> => {
    const chunk = chunks.get(fileName)
    if (chunk === undefined || known.has(fileName)) return known
    known.add(fileName)
    for (const id of chunk.moduleIds) known.add(relative(root, id))
    for (const next of [...chunk.imports, ...chunk.dynamicImports]) sourcesOf(next, known)
    return known
  }
  return new Map(started.map((name) => [name, sourcesOf(`${name}.js`)]))
}

/** Writes the types of the public module, and of what it names: a program that is tried has fewer files. */
const writeTypes = (dir: string): void => {
  execFileSync('tsc', ['--project', 'src', '--outDir', dir], { cwd: root, stdio: 'inherit' })
  const needed = new Set<string>()
  const need = (file: string): void => {
    if (needed.has(file)) return
    needed.add(file)
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:from|import\() ?['"](\.[^'"]+)\.ts['"]/g,
    ))
      need(join(dirname(file), `${from}.d.ts`))
  }
  need(join(dir, 'src/index.d.ts'))
  for (const file of globSync('{src,bots}/**/*.d.ts', { cwd: dir }))
    if (!needed.has(join(dir, file))) rmSync(join(dir, file))
}

if (process.argv[1] === import.meta.filename) {
  const [first] = process.argv.slice(2)
  if (first === '--types') writeTypes(join(root, 'dist'))
  else await build(resolve(first ?? join(root, 'dist')))
}
