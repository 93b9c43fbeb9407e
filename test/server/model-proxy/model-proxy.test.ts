import { request as httpRequest, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startAgentServer } from '../../../src/server/server.ts'
import { ask, key, modelPath, piece, question, saidIn, useModel } from '../model-rig.ts'
import { until } from '../../until.ts'

const rig = useModel()

test('A question goes to one path with the key, and the answer comes back with few headers', async () => {
  const socket = await rig.place((response) =>
    response
      .writeHead(200, {
        'content-type': 'text/event-stream',
        'set-cookie': 'a=b',
        'x-request-id': '7',
        server: 'x',
      })
      .end(piece('one')),
  )
  const { status, headers, text } = await ask(socket)
  expect([status, text]).toEqual([200, `${piece('one')}data: [DONE]\n\n`])
  expect(Object.keys(headers).toSorted()).toEqual(['connection', 'content-type', 'date', 'transfer-encoding'])
  expect(rig.asked).toMatchObject([
    {
      url: '/api/v1/chat/completions',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    },
  ])
  expect(rig.asked[0]?.headers).not.toHaveProperty('x-other')
})

test('An answer is passed on as it comes', async () => {
  let finish = (): void => undefined
  const socket = await rig.place((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(piece('first'))
    finish = () => response.end(piece('last'))
  })
  const text = await new Promise<string>((resolve) => {
    httpRequest({ socketPath: socket, path: modelPath, method: 'POST', agent: false }, (response) => {
      response.once('data', (chunk: Buffer) => {
        finish()
        void buffer(response).then((rest) =>
          resolve(`${saidIn(chunk.toString())}|${saidIn(rest.toString())}`),
        )
      })
    }).end(question)
  })
  expect(text).toBe('first|last')
})

test('No other path or method leads anywhere, nor does the path of an agent without a model', async () => {
  const socket = await rig.place((response) => response.end('{}'))
  for (const path of ['/v1/model/models', `${modelPath}/../../x`, `${modelPath}/`, '/v1/model'])
    expect((await ask(socket, question, { path })).status, path).toBe(404)
  expect((await ask(socket, '', { method: 'GET' })).status).toBe(404)
  expect(rig.asked).toEqual([])
  const none = rig.inFolder('none.sock')
  const reply = () => Promise.resolve({ status: 200, body: {} } as const)
  const server = await startAgentServer({
    agentId: 'none',
    socketPath: none,
    log: () => undefined,
    ports: { fire: reply, push: reply, subscribe: () => () => undefined },
  })
  rig.onEnd(() => server.stop())
  expect(await ask(none)).toMatchObject({ status: 404, text: expect.stringContaining('model.none') })
})

test('A redirect is not followed, and what is no answer of a model is not passed on', async () => {
  const socket = await rig.place((response) => response.writeHead(307, { location: '/elsewhere' }).end())
  expect(await ask(socket)).toMatchObject({ status: 502, text: expect.stringContaining('model.redirect') })
  expect(rig.asked).toHaveLength(1)
  await rig.endAll()
  const page = await rig.place((response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${key}`),
  )
  expect(await ask(page)).toMatchObject({ status: 502, text: expect.stringContaining('model.form') })
})

test('A question of more than 8 MB is refused before the endpoint or a hook hears of it', async () => {
  const socket = await rig.place((response) => response.end('{}'))
  expect(await ask(socket, Buffer.alloc(8 * 1024 * 1024 + 1, 32))).toMatchObject({ status: 413 })
  expect([rig.asked, rig.fired]).toEqual([[], []])
})

test('An endless answer, a silent endpoint and a slow one end at their bounds', async () => {
  const endless = await rig.place(
    (response) => {
      const more = (): void =>
        void (
          response.destroyed ||
          setImmediate(() => (response.write(Buffer.alloc(64_000)) ? more() : response.once('drain', more)))
        )
      response.writeHead(200)
      more()
    },
    { maxAnswerBytes: 1_000_000 },
  )
  expect(await ask(endless)).toMatchObject({ status: 502, text: expect.stringContaining('model.size') })
  await rig.endAll()
  const silent = await rig.place(() => undefined, { idleMs: 100 })
  expect(await ask(silent)).toMatchObject({ status: 502, text: expect.stringContaining('model.timeout') })
  await rig.endAll()
  const slow = await rig.place(
    (response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    },
    { totalMs: 300 },
  )
  expect(await ask(slow)).toMatchObject({ status: 502, text: expect.stringContaining('model.timeout') })
})

test('An event of a stream that never ends is not kept in memory', async () => {
  const socket = await rig.place((response) => {
    const more = (): void =>
      void (
        response.destroyed ||
        setImmediate(() => (response.write('x'.repeat(64_000)) ? more() : response.once('drain', more)))
      )
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: ')
    more()
  })
  expect((await ask(socket)).text).toContain('model.size')
})

test('A stream that falls silent in the middle ends with the reason', async () => {
  const stalled = await rig.place(
    (response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
        .write(`${piece('half')}da`),
    { idleMs: 100 },
  )
  // On a busy machine the silence can be over before the first half is there.
  const { text } = await until('a stream that began in time', async () => {
    const answer = await ask(stalled)
    return answer.status === 200 && answer
  })
  expect(text).toMatch(
    /half.*\n\ndata: \{"error":\{"code":"model\.timeout","message":"Expected 127.*"fix":"Try again, or choose a faster model\."\}\}\n\n$/s,
  )
})

test('An answer that takes long but never falls silent is no fault', async () => {
  const steady = await rig.place(
    (response) => {
      let left = 12
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => {
        response.write(piece('.'))
        if (--left > 0) return
        clearInterval(timer)
        response.end()
      }, 100)
    },
    { idleMs: 1000 },
  )
  // A machine that holds this process up for a second makes a silence, too.
  await expect.poll(async () => saidIn((await ask(steady)).text)).toBe('.'.repeat(12))
})

test('Few questions are under way at once; the next is told to wait', async () => {
  const waiting: ServerResponse[] = []
  const socket = await rig.place((response) => void waiting.push(response))
  const asking = Array.from({ length: 8 }, () => ask(socket))
  await expect.poll(() => waiting.length).toBe(8)
  expect(await ask(socket)).toMatchObject({ status: 429, text: expect.stringContaining('model.busy') })
  for (const response of waiting) response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  expect((await Promise.all(asking)).map(({ status }) => status)).toEqual(Array(8).fill(200))
})

test('An agent that leaves takes its question with it, and an endpoint that is not there is told', async () => {
  let isLeft = false
  const socket = await rig.place((response) =>
    response.on('close', () => {
      isLeft = true
    }),
  )
  const leaving = new AbortController()
  const asking = ask(socket, question, { leave: leaving.signal })
  await expect.poll(() => rig.asked.length).toBe(1)
  leaving.abort()
  await expect(asking).rejects.toThrow()
  await expect.poll(() => isLeft).toBe(true)
  await rig.endAll()
  const nobody = await rig.place(() => undefined, { endpoint: { baseUrl: 'http://127.0.0.1:1' } })
  expect(await ask(nobody)).toMatchObject({ status: 502, text: expect.stringContaining('model.unreachable') })
})

test('A server that does not stream is answered for as a whole', async () => {
  const whole = {
    choices: [{ index: 0, message: { role: 'assistant', content: 'all at once' } }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  }
  const socket = await rig.place((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole)),
  )
  expect(JSON.parse((await ask(socket)).text)).toEqual(whole)
  expect(rig.fired.at(-1)).toMatchObject({
    event: 'post_llm_call',
    body: { response: 'all at once', usage: { input_tokens: 3, output_tokens: 4 } },
  })
})
