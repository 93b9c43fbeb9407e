import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(resolve(root, file), 'utf8')
const text = read('src/README.md')

interface DrawnStep {
  readonly file: string
  readonly name: string
}

/** The steps of each drawing: a file and the function in it that does the step. */
const drawings = [...text.matchAll(/^## The life of .+\n[^]*?```text\n([^]+?)```/gm)].map(
  ([, drawing = '']) =>
    [...drawing.matchAll(/^ +((?:src|bots)\/\S+\.ts) +(\w+)/gm)].map(
      ([, file = '', name = '']): DrawnStep => ({ file, name }),
    ),
)

test('the page draws the life of a message, of a tool call and of an approval, each file once', () => {
  expect(drawings).toHaveLength(3)
  for (const steps of drawings) {
    expect(steps.length).toBeGreaterThan(15)
    const files = steps.map(({ file }) => file)
    expect(files.filter((file, at) => files.indexOf(file) !== at)).toEqual([])
  }
})

test('each function of a drawing is defined in the file beside it', () => {
  const isDefined = ({ file, name }: DrawnStep): boolean =>
    existsSync(resolve(root, file)) &&
    new RegExp(`(?:const ${name}\\b|^ +${name}(?:: |,$|\\())`, 'm').test(read(file))
  expect(drawings.flat().filter((step) => !isDefined(step))).toEqual([])
})

test('every file and folder that the page names is there', () => {
  const named = [...text.matchAll(/(?<![\w./-])((?:src|bots|test|config|examples)\/[\w./-]*)/g)]
    .map(([, path = '']) => path.replace(/\.$/, ''))
    // `src/doctor/…-check.ts` stands for any file of that kind.
    .filter((path) => !path.endsWith('*'))
  expect(named.length).toBeGreaterThan(80)
  expect([...new Set(named)].filter((path) => !existsSync(resolve(root, path)))).toEqual([])
})

test('the file that the page names as the door makes the one call of Channel.deliver', () => {
  const senders = globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/\bchannel\??\.deliver\(|\.deliver\(/g)].map(() => file),
  )
  const [, door = ''] = /^ +(\S+) .*the one call of channel\.deliver$/m.exec(text) ?? []
  expect(senders).toEqual([door])
})

test('the map names every folder of the house, and nothing that is not there', () => {
  const map = text.slice(text.indexOf('## The map'), text.indexOf('## The import star'))
  const mapped = new Set(
    [...map.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
    ),
  )
  const folders = (parent: string): readonly string[] =>
    readdirSync(resolve(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${parent}${name}/`)
  const expected = [
    ...folders('src/'),
    'bots/',
    'config/',
    'examples/',
    'test/',
    'src/cli.ts',
    'src/main.ts',
    'src/index.ts',
  ]
  expect([...mapped].toSorted()).toEqual(expected.toSorted())
  for (const bot of folders('bots/')) expect(map).toContain(`\`${bot.slice('bots/'.length)}\``)
})
