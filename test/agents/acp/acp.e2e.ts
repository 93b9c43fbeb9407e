import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import type { HttpReply } from '../../../src/server/ports.ts'
import { createRig, scripted } from './rig.ts'
import { numberIn, waitUntilGone, untilFollowed } from '../scripted-gate.ts'

const rig = createRig()
const here = { channel: 'web', chat_id: 'main' }
const at = (name: string): string => join(rig().gate.workspace, name)
const exists = (name: string): Promise<boolean> =>
  readFile(at(name)).then(
    () => true,
    () => false,
  )

test('What the agent says comes as one message; what it thinks does not', async () => {
  const { gate, follow } = rig()
  follow()
  const { pushed, events } = await gate.turn('say one\nthink secretly\nsay  two')
  expect(pushed).toEqual(['one two'])
  expect(events).toEqual([
    'on_session_start',
    'on_user_message',
    'pre_llm_call',
    'post_llm_call',
    'on_stop',
    'on_step_end',
    'on_turn_end',
  ])
  expect(gate.fired.find(({ event }) => event === 'post_llm_call')?.body['usage']).toEqual({
    input_tokens: 3,
    output_tokens: 4,
  })
})

test('A command of the agent reaches it as it is, and context waits for the next words', async () => {
  const { gate, follow } = rig()
  gate.script = (event) => (event === 'on_user_message' ? { context: 'decider the gap' } : undefined)
  follow()
  expect((await gate.turn('/memory show')).pushed).toEqual(['[/memory show]'])
  expect((await gate.turn('say hello')).pushed.join()).toBe('hello[][decider the gap][][decider the gap]')
})

test('What a hook says to the start of a session reaches the agent, or there is none', async () => {
  const { gate, follow } = rig()
  gate.script = (event) =>
    event === 'on_session_start' ? { verdict: 'block', reason: 'closed today' } : undefined
  follow()
  expect((await gate.turn('say hello')).pushed).toEqual(['I could not start a session: closed today'])
  gate.script = (event) => (event === 'on_session_start' ? { context: 'decider the gap' } : undefined)
  expect((await gate.turn('say hello')).pushed.join()).toContain('[decider the gap]')
})

test('What hooks say to a message and to a prompt reaches the agent rewritten, with its context', async () => {
  const { gate, follow } = rig()
  gate.script = (event): JsonObject | undefined => {
    if (event === 'on_user_message') return { payload: { message: 'say changed' } }
    return event === 'pre_llm_call' ? { context: 'from a hook' } : undefined
  }
  follow()
  expect((await gate.turn('say secret')).pushed).toEqual(['changed[][from a hook]'])
  gate.script = (event) => (event === 'pre_llm_call' ? { verdict: 'block', reason: 'not now' } : undefined)
  expect((await gate.turn('say more')).pushed).toEqual(['A hook blocked the request to the model: not now'])
})

test('A withheld answer goes back to the agent once, with the reason', async () => {
  const { gate, follow } = rig()
  gate.replyToPush = (text): HttpReply =>
    text.includes('hunter2')
      ? { status: 200, body: { outcome: 'withheld', reason: 'a password', event_id: 'x' } }
      : { status: 200, body: { outcome: 'delivered', event_id: 'y' } }
  follow()
  const { pushed, fired } = await gate.turn('say hunter2')
  expect(pushed).toHaveLength(2)
  expect(pushed[0]).toContain('hunter2')
  expect(fired.filter(({ event }) => event === 'pre_llm_call').at(-1)?.body['messages']).toMatchObject([
    { content: expect.stringContaining('because a hook withheld it: a password') as string },
  ])
  expect(fired.find(({ event }) => event === 'on_turn_end')?.body).toMatchObject({ reason: 'normal' })
})

test('A refusal that hookgate told the person is not repeated, and the agent gets the reason', async () => {
  const { gate, follow } = rig()
  gate.script = (event) =>
    event === 'pre_tool_call' ? { verdict: 'block', reason: 'rule 7', told: true } : undefined
  follow()
  const { pushed } = await gate.turn('run touch x.txt')
  expect(pushed.join()).toContain('rule 7')
  expect(pushed.join()).not.toContain('I did not run')
})

test('A command runs in our terminal, is told to hooks with its end, and shows what hooks let be seen', async () => {
  const { gate, follow } = rig()
  gate.script = (event, body) =>
    event === 'transform_tool_result'
      ? {
          payload: {
            tool_result:
              typeof body['tool_result'] === 'string' ? body['tool_result'].replace('secret', '***') : '',
          },
        }
      : undefined
  follow()
  const { pushed, fired } = await gate.turn("run echo secret; exit 3\nargv echo a'b $HOME")
  expect(pushed.join()).toContain('ran 3: ***')
  expect(pushed.join()).toContain("ran 0: a'b $HOME")
  const tools = fired
    .filter(({ event }) => /tool/.test(event))
    .map(({ event, body }) => [event, body['tool_error']])
  expect(tools.slice(0, 4)).toEqual([
    ['pre_tool_call', undefined],
    ['post_tool_call', true],
    ['on_tool_error', undefined],
    ['transform_tool_result', true],
  ])
  const claim = fired.find(({ event }) => event === 'on_completion_claim')?.body
  expect(claim?.['tools']).toMatchObject([
    { name: 'bash', is_error: true, exit_code: 3 },
    { name: 'bash', is_error: false, exit_code: 0 },
  ])
})

test('A command that a hook blocks does not run, and agent and person hear why; a rewritten one runs rewritten', async () => {
  const { gate, follow } = rig()
  gate.script = (event, body): JsonObject | undefined => {
    if (event !== 'pre_tool_call') return undefined
    return JSON.stringify(body['tool_input']).includes('touch')
      ? { verdict: 'block', reason: 'nothing new', context: 'use the old one' }
      : { payload: { tool_input: { command: 'echo tame' } } }
  }
  follow()
  const { pushed } = await gate.turn('run touch made\nrun echo wild')
  expect(pushed).toContain('I did not run bash: nothing new')
  expect(pushed.join('\n')).toContain(
    'failed: This call was refused and did not run: nothing new\nuse the old one',
  )
  expect(pushed.join('\n')).toContain('ran 0: tame')
  expect(await exists('made')).toBe(false)
})

test('Output is bounded by what the agent wants of its end', async () => {
  const { gate, follow } = rig()
  follow()
  expect((await gate.turn('tail printf 0123456789abcdef')).pushed.join()).toContain('ran 0 cut: 6789abcdef')
})

test('Files are written and read through hooks: blocked, rewritten, and by their lines', async () => {
  const { gate, follow } = rig()
  gate.script = (event, body): JsonObject | undefined => {
    const input = body['tool_input'] as { path?: string; content?: string }
    if (event !== 'pre_tool_call') return undefined
    if (input.path === '.env') return { verdict: 'block', reason: 'secrets' }
    return input.content === undefined
      ? { context: 'decider the end of line' }
      : { payload: { tool_input: { ...input, content: input.content.toUpperCase() } } }
  }
  follow()
  await writeFile(at('list.txt'), 'one\ntwo\nthree')
  const { pushed } = await gate.turn('write a/b.txt hello\nread .env\nread list.txt 2\nread none\nread .')
  expect(await readFile(at('a/b.txt'), 'utf8')).toBe('HELLO')
  expect(pushed.join('\n')).toMatch(
    /failed: This call was refused and did not run: secrets[^]*read two\nread\nread failed: [^]*regular file/,
  )
  expect((await gate.turn('say on')).pushed).toEqual(['on[][decider the end of line]'])
})

test('A permission that is given is given once, and the call that follows is not asked again', async () => {
  const { gate, follow, asked } = rig()
  follow()
  expect((await gate.turn('twice echo ok')).pushed.join()).toContain('asked once, ran 0: ok')
  expect(asked('pre_tool_call')).toEqual([{ command: 'echo ok' }])
  expect(asked('on_permission_request')).toEqual([{ command: 'echo ok' }])
  await gate.turn('twice echo ok\nrun echo ok')
  expect(asked('pre_tool_call')).toHaveLength(3)
})

test('A permission that hooks or the person refuse is refused, also for what tries it anyway, and the agent hears why when it stops', async () => {
  const { gate, follow } = rig()
  gate.script = (event) =>
    event === 'on_permission_request' ? { verdict: 'block', reason: 'the person said no' } : undefined
  follow()
  const { pushed } = await gate.turn('stubborn touch made')
  expect(pushed).toContain('I did not run bash: the person said no')
  expect(await exists('made')).toBe(false)
  expect(pushed.at(-1)).toBe('[Your request to use bash was refused: the person said no]')
  expect((await gate.turn('say next')).pushed).toEqual(['next'])
  gate.script = (event) => (event === 'pre_tool_call' ? { verdict: 'block', reason: 'dangerous' } : undefined)
  expect((await gate.turn('ask rm -rf x')).pushed.join()).toContain('asked no')
})

test('A question of a hook goes with the request for permission; without one it is a no', async () => {
  const { gate, follow, asked } = rig()
  gate.script = (event) =>
    event === 'pre_tool_call' ? { verdict: 'ask', reason: 'are you sure' } : undefined
  follow()
  expect((await gate.turn('ask echo x')).pushed.join()).toContain('asked once')
  expect(asked('on_permission_request')).toHaveLength(1)
  expect((await gate.turn('run touch made')).pushed.join()).toContain('are you sure')
  expect(await exists('made')).toBe(false)
})

test('What a hook changes in a permission is refused, since the agent would run it as it is', async () => {
  const { gate, follow } = rig()
  gate.script = (event) =>
    event === 'pre_tool_call' ? { payload: { tool_input: { command: 'echo tame' } } } : undefined
  follow()
  const { pushed } = await gate.turn('ask echo wild')
  expect(pushed.join()).toContain('asked no')
  expect(pushed.join()).toContain('Make this call instead: {"command":"echo tame"}')
})

test('A file that hooks changed is written changed by an agent that writes through us', async () => {
  const { gate, follow } = rig()
  gate.script = (event, body) =>
    event === 'pre_tool_call' && body['tool_name'] === 'write_file'
      ? { payload: { tool_input: { path: 'f', content: 'tame' } } }
      : undefined
  follow()
  expect((await gate.turn('edit f wild')).pushed.join()).toContain('asked no')
  expect((await gate.turn('read none\nedit f wild\nwrite f wild')).pushed.join()).toContain('asked once')
  expect(await readFile(at('f'), 'utf8')).toBe('tame')
})

test('What the agent runs unasked is told to hooks, and where they object the turn ends', async () => {
  const { gate, follow } = rig()
  follow()
  const calm = await gate.turn('unasked look')
  expect(
    calm.fired
      .filter(({ event }) => /tool_call/.test(event))
      .map(({ event, body }) => [event, body['tool_input'], body['tool_result']]),
  ).toEqual([
    ['pre_tool_call', { command: 'look' }, undefined],
    ['post_tool_call', { command: 'look' }, 'did look'],
  ])
  gate.script = (event) => (event === 'pre_tool_call' ? { verdict: 'block', reason: 'never' } : undefined)
  const { pushed, fired } = await gate.turn('unasked rm\nwait 20000\nsay more')
  expect(pushed).toEqual(['I stopped because the agent ran bash without asking: never'])
  expect(fired.at(-1)?.body['reason']).toBe('hook_blocked')
})

test('A claim to be done that hooks refuse goes back with the reason, and the person hears only what stands', async () => {
  const { gate, follow } = rig()
  gate.script = (event, body) =>
    event === 'on_completion_claim' && body['blocked_count'] === 0
      ? { verdict: 'block', reason: 'say sorry' }
      : undefined
  follow()
  const { pushed } = await gate.turn('say published')
  expect(pushed.join()).not.toContain('published')
  expect(pushed.join()).toContain('refused: say sorry')
  gate.script = (event) =>
    event === 'on_completion_claim' ? { verdict: 'block', reason: 'done or not' } : undefined
  const capped = await gate.turn('say published')
  expect(capped.pushed).toEqual([
    'My claim that the task is done was refused: done or not\nThat was refusal 3 of 3. I stop here, and the task is not done.',
  ])
  expect(capped.events.filter((event) => event === 'on_completion_claim')).toHaveLength(3)
})

test("A goal that the person set is claimed at each end of the agent's turn until a claim passes, and outlives other messages", async () => {
  const { gate, follow } = rig()
  follow()
  await untilFollowed(gate)
  const shown = async (): Promise<string | undefined> => {
    const from = gate.pushed.length
    gate.send({ type: 'goal', ...here })
    await expect.poll(() => gate.pushed.length).toBeGreaterThan(from)
    return gate.pushed.at(-1)
  }
  const goals = (): readonly unknown[] =>
    gate.fired.filter(({ event }) => event === 'on_completion_claim').map(({ body }) => body['goal'])
  gate.script = (event) =>
    event === 'on_completion_claim' ? { verdict: 'block', reason: 'it is not there' } : undefined
  gate.send({
    type: 'prompt',
    prompt_id: 'goal',
    ...here,
    sender_id: 'owner',
    sender_name: 'Owner',
    text: 'say I look',
    isGoal: true,
  })
  await gate.ended('goal')
  expect(goals()).toEqual(['say I look', 'say I look', 'say I look'])
  expect(gate.pushed.at(-1)).toContain('I stop here, and the task is not done')
  expect(await shown()).toBe('My goal: say I look')
  gate.script = () => undefined
  expect((await gate.turn('say how far')).pushed).toEqual(['how far'])
  expect(goals().at(-1)).toBe('say I look')
  expect(await shown()).toBe('I have no goal. /goal TEXT sets one.')
  await gate.turn('say more')
  expect(goals()).toHaveLength(4)
})

test('on_stop sends the agent round again, three times at most', async () => {
  const { gate, follow } = rig()
  gate.script = (event) => (event === 'on_stop' ? { verdict: 'block', reason: 'look again' } : undefined)
  follow()
  const { pushed, events } = await gate.turn('say hi')
  expect(events.filter((event) => event === 'on_stop')).toHaveLength(4)
  expect(pushed.at(-1)).toContain('(Hooks asked me 3 times to continue, and I stop here: look again)')
})

test('An agent at its own limit says so', async () => {
  const { gate, follow } = rig()
  follow()
  const { pushed, events } = await gate.turn('say half\nlimit')
  expect(pushed).toEqual(['half\n\n(The agent stopped here because it reached its own limit of steps.)'])
  expect(events).toContain('on_max_iterations')
})

test('Cancel stops the turn and what it runs; the conversation goes on', async () => {
  const { gate, follow } = rig()
  follow()
  const prompt = gate.prompt.bind(gate)
  await untilFollowed(gate)
  const id = prompt('run sleep 60 & echo $! > child.pid; wait')
  const child = await numberIn(at('child.pid'))
  gate.send({ type: 'cancel', ...here })
  await gate.ended(id)
  await waitUntilGone(child)
  expect(gate.pushed).toEqual(['Stopped.'])
  expect((await gate.turn('recall')).pushed.join()).toContain('run sleep 60')
})

test('An agent that does not stop is killed, and the next prompt starts it again', async () => {
  const { gate, follow } = rig()
  follow({ cancelMs: 200 })
  await untilFollowed(gate)
  const id = gate.prompt('mark pid\nhang')
  const pid = await numberIn(at('pid'))
  gate.send({ type: 'cancel', ...here })
  await gate.ended(id)
  await waitUntilGone(pid)
  expect(gate.pushed).toEqual(['Stopped.'])
  expect((await gate.turn('recall')).pushed).toEqual(['loaded|recall'])
})

test('new begins another session of the agent, and each chat has its own', async () => {
  const { gate, follow } = rig()
  follow()
  await gate.turn('say a')
  expect((await gate.turn('recall')).pushed).toEqual(['say a|recall'])
  await gate.ended(gate.prompt('say b', 'elsewhere'))
  gate.send({ type: 'new', ...here })
  expect((await gate.turn('recall')).pushed).toEqual(['recall'])
})

test('Two chats are worked on at once, in one process; two prompts of one chat one after another', async () => {
  const { gate, follow } = rig()
  follow()
  await gate.turn('mark one')
  const first = gate.prompt('wait 3000\nsay first')
  const second = gate.prompt('say second')
  await gate.ended(gate.prompt('mark two\nsay other', 'elsewhere'))
  expect(gate.pushed).toEqual(['other'])
  await gate.ended(second)
  expect(gate.pushed).toEqual(['other', 'first', 'second'])
  expect(
    gate.fired
      .filter(({ event }) => event === 'on_turn_end')
      .map(({ body }) => body['prompt_id'])
      .slice(-2),
  ).toEqual([first, second])
  expect(await numberIn(at('one'))).toBe(await numberIn(at('two')))
})

test('A conversation outlives a restart where the agent can take it up, without what it tells again; else the person is told', async () => {
  const { gate, follow } = rig()
  follow()
  await gate.turn('say a')
  follow()
  const { pushed, fired } = await gate.turn('wait 200\nrecall')
  expect(pushed).toEqual(['loaded|wait 200'])
  expect(fired[0]?.body['source']).toBe('resume')
  follow({}, scripted('forgetful'))
  expect((await gate.turn('recall')).pushed).toEqual([
    'I was restarted and have lost our earlier conversation.',
    'recall',
  ])
})

test('An agent that dies in mid-turn is told about with its last words, and started again', async () => {
  const { gate, follow } = rig()
  follow()
  const { pushed, events } = await gate.turn('say before\ndie 7')
  expect(pushed).toEqual([
    'before',
    expect.stringContaining('ended by itself (exit code 7): something broke'),
  ])
  expect(events.slice(-4)).toEqual(['on_step_end', 'on_error', 'on_notification', 'on_turn_end'])
  expect((await gate.turn('say again')).pushed).toEqual(['again'])
})

test('An agent that dies of an uncaught error is told about with the error, and not with what Node says last', async () => {
  const { gate, follow } = rig()
  const crash = "throw new Error('Expected a key, got none')"
  follow({}, [process.execPath, '--eval', crash])
  expect((await gate.turn('say x')).pushed.join()).toMatch(
    /ended by itself \(exit code 1\): Error: Expected a key, got none\./,
  )
})

test('A program that is not there, or never says hello, is told about', async () => {
  const { gate, follow } = rig()
  follow({}, ['/nowhere/agent'])
  expect((await gate.turn('say x')).pushed.join()).toMatch(
    /agent ended by itself \(exit code 127\).*not found/,
  )
  follow({ initializeMs: 200 }, scripted('mute'))
  expect((await gate.turn('say x')).pushed.join()).toContain(
    'it did not answer the first request within 0.2 s',
  )
})

test('Floods and endless lines kill the agent, and garbage and unknown methods do not', async () => {
  const { gate, follow } = rig()
  follow({ maxFloodLines: 2_000, maxLineBytes: 1_000_000, restartAfterMs: [0] })
  expect((await gate.turn('garbage\nunknown\nsay fine')).pushed.join()).toContain('fine')
  expect((await gate.turn('flood')).pushed.at(-1)).toContain('it flooded me with messages')
  expect((await gate.turn('line 2')).pushed.join()).toContain('it sent a message of more than 1000000 bytes')
  expect((await gate.turn('huge 2')).pushed.join()).toContain('it sent a message of more than 1000000 bytes')
  expect((await gate.turn('say well')).pushed).toEqual(['well'])
})

test('A write of more than the gate can judge does not happen', async () => {
  const { gate, follow } = rig()
  follow()
  expect((await gate.turn('huge 10')).pushed.join()).toMatch(/at most \d+ bytes/)
  expect(await exists('huge.txt')).toBe(false)
})

test('An agent that shows no sign of life is killed; one that waits for the gate is not', async () => {
  const { gate, follow } = rig()
  follow({ idleMs: 500 })
  gate.script = (event) =>
    event === 'pre_tool_call' ? new Promise((resolve) => setTimeout(resolve, 1_500, undefined)) : undefined
  expect((await gate.turn('ask echo x')).pushed.join()).toContain('asked once')
  expect((await gate.turn('hang')).pushed.join()).toContain('it sent nothing for 0.5 s')
})

test('A conversation that /new ended is not taken up by the next start', async () => {
  const { gate, follow } = rig()
  follow()
  await gate.turn('say hello')
  gate.send({ type: 'new', ...here })
  await expect.poll(() => gate.fired.some(({ event }) => event === 'on_session_end')).toBe(true)
  follow()
  const { pushed, fired } = await gate.turn('recall')
  expect(pushed).toEqual(['recall'])
  expect(fired[0]).toMatchObject({ event: 'on_session_start', body: { source: 'startup' } })
})

test('A failure of the agent is told', async () => {
  const { gate, follow } = rig()
  follow()
  expect((await gate.turn('fail')).pushed.join()).toMatch(/Sorry, something went wrong/)
})

test('The agent has the variables that gate.yaml names and a home of its own; its commands have not', async () => {
  const { gate, follow } = rig()
  follow()
  expect((await gate.turn('env OWN\nenv HOME')).pushed).toEqual([`OWN=yesHOME=${at('.hookgate/home')}`])
  expect((await gate.turn('run echo "[$OWN]"')).pushed.join()).toContain('ran 0: []')
})

test("/compact is the agent's own affair, and the person is told how to reach it", async () => {
  const { gate, follow } = rig()
  follow()
  await untilFollowed(gate)
  gate.send({ type: 'compact', ...here })
  await expect.poll(() => gate.pushed.length).toBeGreaterThan(0)
  expect(gate.pushed).toEqual([
    'This agent manages its conversation itself, so I compacted nothing. If it has a compact command of its own, //compact calls it.',
  ])
  expect((await gate.turn('say on')).pushed).toEqual(['on'])
})

test('A form of the agent is asked field by field, and it gets the answers, a no, or nothing', async () => {
  const { gate, follow } = rig()
  const schema = { type: 'object', properties: { age: { type: 'integer', title: 'Age' } }, required: ['age'] }
  const form = `elicit ${JSON.stringify(schema)}`
  const answers = (answer: JsonObject | undefined) => (event: string) =>
    event === 'on_user_input' ? answer : undefined
  gate.script = answers({ payload: { prompt: 'Sign up', answers: { age: 41 } } })
  follow()
  expect((await gate.turn(form)).pushed).toEqual(['answered {"action":"accept","content":{"age":41}}'])
  expect(gate.fired.find(({ event }) => event === 'on_user_input')?.body).toMatchObject({
    prompt: 'Sign up',
    questions: [{ name: 'age', question: 'Age', header: 'Age', type: 'integer' }],
  })
  gate.script = answers({ verdict: 'block', reason: 'no' })
  expect((await gate.turn(form)).pushed).toEqual(['answered {"action":"decline"}'])
  gate.script = answers(undefined)
  expect((await gate.turn(form)).pushed).toEqual(['answered {"action":"cancel"}'])
})
