import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/**
 * Prints the address of each file that is loaded for a gate before it has read its configuration, and what is
 * made meanwhile that needs the large tables of Unicode.
 */
const program = `
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
for (const name of ['DateTimeFormat', 'Segmenter']) Intl[name] = class { constructor() { loaded.push('Intl.' + name) } }
globalThis.RegExp = new Proxy(RegExp, {
  construct: (engine, [pattern, flags]) => {
    if (String(pattern).includes('RGI_Emoji')) loaded.push('RGI_Emoji')
    return new engine(pattern, flags)
  },
})
for (const file of process.argv.slice(1)) await import(file)
console.log(JSON.stringify(loaded))`

const loadedBy = async (...files: readonly string[]): Promise<readonly string[]> => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program, ...files]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 10_000_000 })
  return (JSON.parse(stdout) as string[]).map((url) => url.replace(/^.*\/node_modules\//, ''))
}

test('a start loads no code of a messenger, a model, a database, a parser or a scanner before it is known to need it', async () => {
  const loaded = await loadedBy('./src/index.ts', './src/main.ts')
  expect(loaded.some((file) => file.startsWith('zod/'))).toBe(true)
  const late = [
    /^grammy\//,
    /\/bots\/(telegram|wechat)\//,
    /^(ai|undici|postgres|jose|hono|yaml|execa|prom-client|jsonc-parser|unbash|re2js)\//,
    /^(Intl\.|RGI_Emoji$)/,
    /^@(ai-sdk|secretlint|simplewebauthn|agentclientprotocol|hono|scure|opentelemetry|modelcontextprotocol)\//,
    /\/src\/server\/model-proxy\/model-proxy\.ts$/,
    /\/src\/(attack|node)\//,
  ]
  expect(loaded.filter((file) => late.some((pattern) => pattern.test(file)))).toEqual([])
})

test('a start has its programs begun before it loads the chapters', async () => {
  const loaded = await loadedBy('./src/index.ts')
  expect(loaded.some((file) => file.endsWith('/src/isolation/isolation.ts'))).toBe(true)
  const chapters = /\/src\/(agents|commands|dialects|dispatcher|doctor|inbox|permissions|server)\//
  expect(loaded.filter((file) => chapters.test(file))).toEqual([])
})

test('the code that a start loads takes one byte of memory a character, whatever it says', () => {
  const built = dirname(process.env['HOOKGATE_CLI'] ?? '')
  const files = globSync('**/*.js', { cwd: built })
  expect(files).toContain('cli.js')
  const isWide = (file: string): boolean => /[^\x00-\xff]/.test(readFileSync(join(built, file), 'utf8'))
  expect(files.filter(isWide)).toEqual([])
})
