import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { messageTools } from '../../src/agents/tools/messages.ts'
import { runTool } from '../../src/agents/tools/tools.ts'
import { FORMS, MARK_TYPES, PUSH_TYPES, type PushForm } from '../../src/core/model/chat/content.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { pushRequest } from '../../src/server/push-request.ts'
import { expectGenerated } from './generated.ts'
import { tableOf } from './table.ts'

const page = new URL('../../config/context/references/messages.md', import.meta.url)
const text = readFileSync(page, 'utf8')

const countOf = ([least, most]: readonly [number, number]): string =>
  least === most ? `${least}` : `${least} to ${most}`
const orNone = (words: string): string => (words === '' ? '–' : words)

it('the page says of every form what it is made of', () => {
  const rows = PUSH_TYPES.map((type) => {
    const form: PushForm = FORMS[type]
    const parts = Object.entries(form.parts).map(([field, count]) => `\`${field}\` (${countOf(count)})`)
    const target = form.target === undefined ? '' : form.target === 'push' ? 'what you sent' : 'any message'
    return [
      `\`${type}\``,
      form.text === 'none' ? '–' : form.text,
      orNone(parts.join(', ')),
      form.files[1] === 0 ? '–' : countOf(form.files),
      orNone(target),
    ]
  })
  expectGenerated(page, 'forms', tableOf(['Form', 'Text', 'Parts', 'Files', 'Target'], rows))
})

it('every mark has its name there', () => {
  for (const type of MARK_TYPES) expect(text).toContain(`\`${type}\``)
})

it('every tool stands there once, with an input that it takes', async () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| `(\{.*?\})`(?=[ :])/gm)].filter(([, name]) =>
    Object.hasOwn(messageTools, name ?? ''),
  )
  expect(rows.map(([, name]) => name)).toEqual(
    Object.keys(messageTools).toSorted((a, b) => text.indexOf(`| \`${a}\``) - text.indexOf(`| \`${b}\``)),
  )
  const workspace = mkdtempSync(join(tmpdir(), 'hookgate-page-'))
  onTestFinished(() => rmSync(workspace, { recursive: true }))
  for (const [, name = '', input = ''] of rows) {
    const asked = { ...(JSON.parse(input) as JsonObject), ...(name === 'send_file' ? { path: 'a.png' } : {}) }
    for (const path of ['a.png', 'b.png']) writeFileSync(join(workspace, path), 'x')
    const push = async () => ({ outcome: 'delivered', reason: '', push_id: 'm-1' })
    expect(
      await runTool(name, asked, {
        workspace,
        env: {},
        signal: new AbortController().signal,
        push,
        message_id: '1',
      }),
      name,
    ).toMatchObject({ isError: false })
  }
})

it('the request that it shows is one', () => {
  const [, body = ''] = /-d '(\{.*?\})'/s.exec(text) ?? []
  const { type, files, marks, text: words } = pushRequest(JSON.parse(body) as JsonObject)
  expect([
    type,
    Buffer.from(files[0]?.bytes ?? []).toString(),
    words.slice(marks[0]?.offset, (marks[0]?.offset ?? 0) + (marks[0]?.length ?? 0)),
  ]).toEqual(['document', 'hello\n', 'report'])
})
