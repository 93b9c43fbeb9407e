import { expect, test } from 'vitest'
import { publishBuiltin } from '../../../src/handlers/builtins/publish.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { eventOf } from '../armed.ts'

const site = 'https://garden.example'
const tool = (name: string, over: JsonObject = {}): JsonObject => ({
  name,
  is_error: false,
  exit_code: 0,
  urls: [],
  ...over,
})
const published = [tool('publish_site', { urls: [`${site}/`] })]
const shell = [tool('bash')]

const answerTo = (summary: string, tools: readonly JsonObject[], names: readonly string[] = []): JsonObject =>
  publishBuiltin(
    eventOf('on_completion_claim', { summary, response: '', tools: [...tools], tool_names: [...names] }),
  )

test.each([
  ['The site is live!', []],
  ['Deployed.', []],
  ['I could not mend the footer, but I published the page.', []],
  ['网站已发布。', []],
  ['The app is now available at https://garden.example', []],
  ['The page is published.', [tool('publish_site', { is_error: true })]],
  ['The page is published.', [tool('bash', { exit_code: 1 })]],
  ['The page is published.', [tool('read_file')]],
  ['Deployed it at https://other.example.', published],
  ['It is live. See https://garden.example.evil.example/', published],
  ['It is live at https://garden.example-2/', shell],
  ['It is live at https://garden.example.', [tool('publish_site', { urls: [`${site}/about`] })]],
  [`Done. ${'word '.repeat(20_000)}`, published],
] as const)('A claim without its deed is refused: %.60s', (summary, tools) => {
  expect(answerTo(summary, tools)).toMatchObject({ decision: 'block' })
})

test.each([
  ['The site is published.', published],
  ['Published: **https://garden.example/about** is live.', published],
  ['The page https://garden.example/a/b/c?d=1 is live.', published],
  ['It is live at HTTP://Garden.example/index.html#top.', published],
  ['I deployed the app with the shell.', shell],
  ['I have corrected the parser, and all tests pass.', []],
  ['The site is not published yet.', []],
  ["I haven't deployed the app.", []],
  ['The page is ready to be published.', []],
  ['Once deployed, the app will send mail.', []],
  ['The bus handles events published by the page.', []],
  ['尚未发布网站', []],
  ['The server runs at http://localhost:3000.', []],
  ['', []],
] as const)('Any other claim passes: %s', (summary, tools) => {
  expect(answerTo(summary, tools)).toEqual({})
})

test('Where a client reports only the names of its tools, the name of an able one is enough', () => {
  expect(answerTo(`It is live at ${site}.`, [], ['read', 'deploy_site'])).toEqual({})
  expect(answerTo(`It is live at ${site}.`, [], ['read'])).toMatchObject({ decision: 'block' })
})

test('Fields of another type count as absent', () => {
  const odd = {
    summary: ['x'],
    response: 'The site is live.',
    tools: [7, null, { name: 3 }],
    tool_names: 'x',
  }
  expect(publishBuiltin(eventOf('on_completion_claim', odd))).toMatchObject({ decision: 'block' })
})
