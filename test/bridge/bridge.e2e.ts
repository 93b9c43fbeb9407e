import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSwitchWriter } from '../../src/bridge/switch-writer.ts'
import { claude, createAway, leave, words, type Away } from './away.ts'
import { answerOf, refusal, runBridge } from './run-bridge.ts'

let home = ''
let away: Away
beforeEach(async () => {
  away = await createAway()
  ;({ home } = away)
})
afterEach(() => away.remove())
const ask = (...asked: Parameters<Away['ask']>) => away.ask(...asked)

describe('While the gate is away, what its owner last set decides', () => {
  test('what it left is signed: forged, torn, emptied, missing or under another key, it is refused', async () => {
    leave(home, { isArmed: false })
    const [file, key] = [
      join(home, '.hookgate', 'run', 'switch.json'),
      join(home, '.hookgate', 'run', 'bridge.pub'),
    ]
    const [good, goodKey] = [readFileSync(file, 'utf8'), readFileSync(key, 'utf8')]
    leave(home)
    const armed = readFileSync(file, 'utf8')
    const tries: readonly (readonly [string, () => unknown, string])[] = [
      [
        'forged',
        () => writeFileSync(file, armed.replace(String.raw`\"isArmed\":true`, String.raw`\"isArmed\":false`)),
        'was not signed by it',
      ],
      ['torn', () => writeFileSync(file, good.slice(0, good.length / 2)), 'is damaged'],
      ['emptied', () => writeFileSync(file, ''), 'is damaged'],
      ['flooded', () => writeFileSync(file, ' '.repeat(10_000) + good), 'cannot be read'],
      [
        'signed over nonsense',
        () => createSwitchWriter(join(home, '.hookgate'))({ isArmed: 'no' } as never),
        'is damaged',
      ],
      ['under no key', () => [writeFileSync(file, good), rmSync(key)], 'is not there'],
      ['under a key that is none', () => writeFileSync(key, 'key'), 'is damaged'],
      ['missing', () => [writeFileSync(key, goodKey), rmSync(file)], 'is not there'],
    ]
    for (const [, change, why] of tries) {
      change()
      expect(await ask(claude)).toEqual(refusal(words(why)))
    }
    writeFileSync(file, good)
    expect(await ask(claude)).toBeUndefined()
  })

  test('each client is refused in its own words; where nothing can be refused, or a refusal would only go on and on, there is no opinion', async () => {
    leave(home)
    const why = words('hookgate start')
    expect(await ask(['codex', 'PreToolUse'])).toEqual(refusal(why))
    expect(await ask(['copilot', 'preToolUse'])).toEqual({
      permissionDecision: 'deny',
      permissionDecisionReason: why,
    })
    expect(await ask(['gemini', 'BeforeTool'])).toEqual({ decision: 'deny', reason: why })
    expect(await ask(['cursor', 'preToolUse'])).toEqual({
      permission: 'deny',
      user_message: why,
      agent_message: why,
    })
    expect(await ask(['claude-code', 'UserPromptSubmit'])).toEqual({ decision: 'block', reason: why })
    for (const event of ['Stop', 'SubagentStop', 'PostToolUse', 'SessionEnd', 'FooBar'])
      expect(await ask(['claude-code', event])).toBeUndefined()
    expect(await ask(['codex', 'Stop'])).toBeUndefined()
  })
})

describe('Whatever it is called with, it ends with 0 and says one object or nothing', () => {
  test('whatever the words, the payload and what the gate says', async () => {
    const bodies = ['', '{}', '{"a":1}', '[]', 'null', '{', '<p>']
    let body = ''
    await away.gateThat((request, response) => void request.resume().once('end', () => response.end(body)))
    const word = fc.oneof(
      fc.constantFrom(
        'claude-code',
        'codex',
        'kimi',
        'PreToolUse',
        'Stop',
        '--deadline',
        '5',
        '--home',
        '/nowhere',
        '--',
        '',
      ),
      fc.string({ maxLength: 20 }).filter((text) => !text.includes('\0')),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 5 }),
        fc.oneof(fc.string(), fc.json(), fc.uint8Array()),
        fc.constantFrom(...bodies),
        async (args, stdin, said) => {
          body = said
          // Throws for any other code, and for anything but one object.
          answerOf(
            await runBridge(args[0] === 'install' || args[0] === 'uninstall' ? [] : args, {
              home,
              stdin: typeof stdin === 'string' ? stdin : Buffer.from(stdin),
            }),
          )
        },
      ),
      { numRuns: 40 },
    )
  })
})
