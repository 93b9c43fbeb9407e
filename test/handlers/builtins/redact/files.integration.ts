import { afterAll, describe, expect, test } from 'vitest'
import { plain } from '../../../../src/core/model/chat/content.ts'
import { startPlane } from '../../../plane.ts'
import { createAsking, github } from './file-asking.ts'
import { docx, zip } from './made-files.ts'

const { attach, ask, stop } = createAsking()
afterAll(stop)
const locked = zip([{ name: 'a.txt', bytes: Buffer.from('x'), isEncrypted: true }])
const cannot = 'The file a.zip holds an encrypted entry: a.txt.'

describe('a push with files', () => {
  test('passes with files in which nothing was found, and its text is rewritten as ever', async () => {
    const files = [attach('a.txt', 'hello'), attach('b.docx', docx('hello'))]
    expect(await ask({ notification: 'Here.', files })).toEqual({ answer: {} })
    expect(await ask({ notification: github, files })).toMatchObject({
      answer: { notification: '[redacted: github]' },
    })
  })

  test('is blocked where a file holds a secret, whatever type it says it is and whatever else cannot be judged', async () => {
    const answer = {
      decision: 'block',
      reason:
        'The file b.docx holds 1 secret (github).\nredact_secrets cannot rewrite a file. Remove the secrets and send it again.',
    }
    expect(
      await ask({ notification: github, files: [attach('a.zip', locked), attach('b.docx', docx(github))] }),
    ).toEqual({ answer })
  })

  test('is a fault where a file cannot be judged, so that on_error decides', async () => {
    expect(await ask({ files: [attach('a.zip', locked)] })).toEqual({
      failure: { kind: 'limit', detail: `${cannot}\nredact_secrets could not judge it.` },
    })
    expect(await ask({ files: [{ name: 'a' }] })).toMatchObject({ failure: { kind: 'limit' } })
  })

  test('asks the person about a PDF, with the secrets of the text taken out, unless another file is to blame', async () => {
    const pdf = attach('a.pdf', '%PDF-1.7\n')
    const asks = {
      decision: 'ask',
      reason:
        'The file a.pdf is a PDF, which is not opened.\nredact_secrets cannot tell whether it holds a secret.',
    }
    expect(await ask({ files: [pdf] })).toEqual({ answer: asks })
    expect(await ask({ notification: github, files: [pdf] })).toMatchObject({
      answer: { ...asks, notification: '[redacted: github]' },
    })
    expect(await ask({ files: [pdf, attach('a.zip', locked)] })).toMatchObject({ failure: { kind: 'limit' } })
    expect(await ask({ files: [pdf, attach('b.txt', github)] })).toMatchObject({
      answer: { decision: 'block' },
    })
  })

  test('is blocked where a file cannot be judged and the text holds a secret: a fault would lose the rewrite', async () => {
    const said = await ask({ notification: github, files: [attach('a.zip', locked)] })
    expect(said).toEqual({
      answer: {
        decision: 'block',
        reason: `${cannot}\nredact_secrets could not judge it.\nThe text holds a secret too. Send the text in a message of its own.`,
      },
    })
  })
})

test('Through the whole plane: what is found is blocked, and what cannot be judged follows on_error', async () => {
  const plane = await startPlane(
    'hooks:\n  - {event: on_outbound_message, type: builtin, command: redact_secrets, on_error: block}\n',
  )
  try {
    await plane.ask('/hooks approve on_outbound_message redact_secrets', (text) =>
      text.includes('Approved: on_outbound_message'),
    )
    await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
    let count = 0
    const push = (name: string, content: string | Buffer) =>
      plane.gate.dispatcher.push({
        channel: 'memory',
        chat_id: 'owner',
        push_id: `p${++count}`,
        agent_id: 'main',
        session_id: 's',
        cwd: plane.workspace,
        ...plain('document', 'Here.'),
        files: [{ name, type: 'text/plain', bytes: Buffer.from(content) }],
      })
    expect(await push('a.txt', 'hello')).toMatchObject({ outcome: 'delivered' })
    expect(await push('b.docx', docx(github))).toMatchObject({
      outcome: 'withheld',
      reason: expect.stringContaining('The file b.docx holds 1 secret (github).'),
    })
    expect(await push('a.zip', locked)).toMatchObject({
      outcome: 'withheld',
      reason: expect.stringContaining(cannot),
    })
  } finally {
    await plane.stop()
  }
})
