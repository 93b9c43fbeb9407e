import { expect, test } from 'vitest'
import {
  commandPattern,
  fieldOf,
  mayRunOthers,
  pathPattern,
  patternShape,
  urlPattern,
} from '../../../src/commands/cards/calls/shapes.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { knownCommands } from '../../../src/core/gatekeeper/grants/pattern-cover.ts'
import { patternProblem } from '../../../src/core/gatekeeper/grants/pattern-problem.ts'
import { compileWhole } from '../../../src/core/model/base/pattern.ts'

const ports = {
  isKnownCommand: (line: string) => knownCommands(line) !== undefined,
}

const matches = (pattern: string | undefined, text: string): boolean => {
  const test = compileWhole(pattern ?? '')
  return pattern !== undefined && typeof test === 'function' && test(text)
}

test.each([
  ['git log -5', 'git log'],
  ['git status', 'git status'],
  ['ls src', 'ls src'],
])('the pattern of %s begins with %s and goes on with words', (command, begin) => {
  const pattern = commandPattern(command)
  expect(pattern?.startsWith(begin)).toBe(true)
  for (const tail of ['', ' x', ' --x=y z/w.ts', ' a b c'])
    expect(matches(pattern, `${begin}${tail}`)).toBe(true)
  for (const tail of [
    '; x',
    ' && x',
    ' | x',
    ' > x',
    ' $(x)',
    ' `x`',
    '\nx',
    ' ${x}',
    ' *',
    " 'x'",
    'x',
    ' \\x',
  ])
    expect(matches(pattern, `${begin}${tail}`)).toBe(false)
  expect(patternProblem({ pattern: pattern ?? '', field: 'command' }, command)).toBeUndefined()
})

test.each([
  'ls',
  'git -c alias.x=!sh x',
  'bash x.sh',
  'sudo ls /',
  'env ls /',
  'A=1 ls src',
  'python3 x.py',
  'uv run python x.py',
  'poetry run x',
  'npm exec x',
  'npm run build',
  'pip install x',
  'cargo test',
  'make test',
  'setsid bash x.sh',
  'busybox sh x.sh',
  'stdbuf -oL x',
  'unshare -r x',
  'nsenter -t 1 x',
  'flock x y',
  'timeout 5 ls',
  'tar cf x y',
  'rsync x y',
  'git push origin',
  'git log --output=x',
  'git log --format=%G?',
  'git grep x -O',
  'find . -delete',
  './deploy.sh now',
  '/usr/bin/git log',
  'git log; rm -rf /',
  'git log | cat',
  'git log $(x)',
  'git  log',
  'npm run',
  'rm -rf build',
  'git log “x”',
  'npx x y',
  'docker run x',
])('no pattern is derived of %s', (command) => {
  expect(patternShape({ tool_input: { command } }, ports)).toBeUndefined()
})

test('the pattern of a path is its folder, and of an address its host', () => {
  const path = pathPattern('/w/src/a.ts')
  expect(matches(path, '/w/src/b.ts')).toBe(true)
  for (const other of ['/w/src/../x', '/w/src/..', '/w/src/.env', '/w/src/x/y', '/w/src/', '/w/srcx', '/w'])
    expect(matches(path, other)).toBe(false)
  for (const bad of ['a.ts', '/a.ts', '/w/../x/a.ts', '/w/src/', '/w/a\nb'])
    expect(pathPattern(bad)).toBeUndefined()
  const url = urlPattern('https://docs.rs/serde')
  for (const good of ['https://docs.rs', 'https://docs.rs/a/b?c=d']) expect(matches(url, good)).toBe(true)
  for (const other of [
    'http://docs.rs/a',
    'https://docs.rs.evil.org/',
    'https://docsxrs/a',
    'https://docs.rs@evil.org/',
  ])
    expect(matches(url, other)).toBe(false)
  expect(urlPattern('https://user@docs.rs/')).toBeUndefined()
})

test('a pattern binds the other arguments, and none is offered where these are what matters', () => {
  const shape = (tool_input: Parameters<typeof patternShape>[0]['tool_input'], own?: string) =>
    patternShape({ tool_input }, ports, own)
  expect(shape({ command: 'git log', description: 'x', sandbox: true })).toMatchObject({
    field: 'command',
    others: '{"sandbox":true}',
    loose: ['description', 'timeout'],
  })
  expect(shape({ file_path: '/w/a.ts', limit: 5 })).toMatchObject({ field: 'file_path', others: '{}' })
  expect(shape({ file_path: '/w/a.ts', content: 'x' })).toBeUndefined()
  expect(shape({ file_path: '/w/a.ts', content: 'x' }, '/w/.*')).toMatchObject({ others: '{"content":"x"}' })
  expect(shape({ query: 'x' })).toBeUndefined()
  expect(fieldOf({ query: 'x' })).toBeUndefined()
})

test('a command that may run others is noticed', () => {
  for (const command of ['./x.sh', 'A=1 ./x', 'python3 x.py', 'touch x', 'git log; x', '"'])
    for (const field of ['command', 'cmd']) expect(mayRunOthers({ [field]: command }, ports)).toBe(true)
  const tame: readonly JsonObject[] = [
    { command: 'git log src/a.ts' },
    { cmd: 'ls /' },
    { url: 'x' },
    { path: './x.sh' },
  ]
  for (const input of tame) expect(mayRunOthers(input, ports)).toBe(false)
})
