import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readSwitchFile, renderSwitchFile } from '../../src/config/read-switch-file.ts'
import { createSwitchFileWriter, switchFile } from '../../src/config/switch-file.ts'
import { startAsGate } from '../../src/shared/gate/separation.ts'
import { startScript } from '../../src/isolation/run-script.ts'
import { until } from '../until.ts'
import { stretched } from '../stretched.ts'

let workspace: string
let file: string
beforeEach(() => {
  workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-switch-'))
  file = switchFile(workspace)
  fs.mkdirSync(path.dirname(file))
})
afterEach(() => fs.rmSync(workspace, { recursive: true, force: true }))

/** Writes the switch as the gate does, and resolves with what the owners are told of it. */
const write = (isOn: boolean, withinMs?: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const writer = createSwitchFileWriter({
      workspace,
      render: (wanted) => Promise.resolve(renderSwitchFile(workspace, wanted)),
      read: () => Promise.resolve(),
      tell: resolve,
      asAgent: async (script, args, input) => {
        const why = await startScript(startAsGate, script, args, input, withinMs)
        if (why === undefined) resolve(undefined)
        return why
      },
    })
    writer.write(isOn)
  })

describe('what agent.yaml says of the switch', () => {
  test.each<[string, boolean | undefined]>([
    ...['true', 'on', 'yes', '1', 'True', 'TRUE', 'On', 'ON', 'Yes', '"on"', "'yes'", '"true"'].map(
      (word): [string, boolean] => [`shell_hooks: {enabled: ${word}}`, true],
    ),
    ...['false', 'off', 'no', '0', 'OFF', 'No', 'False'].map((word): [string, boolean] => [
      `shell_hooks: {enabled: ${word}}`,
      false,
    ]),
    ['other: {x: 1}\nshell_hooks:\n  # a comment\n  enabled: on\n  more: 2\n', true],
    ['', undefined],
    ['shell_hooks: {}', undefined],
    ['shell_hooks:', undefined],
    ['shell_hooks: {enabled: maybe}', undefined],
    ['shell_hooks: {enabled: 2}', undefined],
    ['shell_hooks: {enabled: }', undefined],
    ['shell_hooks: on', undefined],
    ['- shell_hooks', undefined],
    ['shell_hooks: {enabled: true', undefined],
    ['shell_hooks: {enabled: true}\n}', undefined],
    ['shell_hooks: {enabled: true}\nshell_hooks: {enabled: false}', undefined],
    ['shell_hooks: {enabled: true, enabled: false}', undefined],
    ['['.repeat(50_000), undefined],
  ])('%j', (text, expected) => {
    fs.writeFileSync(file, text)
    expect(readSwitchFile(workspace)).toBe(expected)
  })

  test('many short keys beside it cost a time that grows with their number, not with its square', () => {
    const keys = Array.from({ length: 24_000 }, (_, at) => `k${at}: 1\n`).join('')
    fs.writeFileSync(file, `${keys}shell_hooks: {enabled: on}\n`)
    // In processor time: what else this machine does is not counted.
    const before = process.threadCpuUsage()
    expect(readSwitchFile(workspace)).toBe(true)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(stretched(1500))
  })

  test('a pipe, a link or a huge file in its place says nothing, and nobody hangs', () => {
    expect(readSwitchFile(workspace)).toBeUndefined()
    execFileSync('mkfifo', [file])
    expect(readSwitchFile(workspace)).toBeUndefined()
    fs.rmSync(file)
    fs.writeFileSync(path.join(workspace, 'real'), 'shell_hooks: {enabled: on}')
    fs.symlinkSync('../real', file)
    expect(readSwitchFile(workspace)).toBeUndefined()
    fs.rmSync(file)
    fs.writeFileSync(file, `shell_hooks: {enabled: on}\n# ${'x'.repeat(300_000)}`)
    expect(readSwitchFile(workspace)).toBeUndefined()
  })
})

describe('writing it', () => {
  test('keeps comments, order and everything else', async () => {
    fs.writeFileSync(
      file,
      '# mine\nname: a\nshell_hooks:\n  # the switch\n  enabled: off # for now\n  more: [1, 2]\nlast: "x"\n',
    )
    expect(await write(true)).toBeUndefined()
    expect(fs.readFileSync(file, 'utf8')).toBe(
      '# mine\nname: a\nshell_hooks:\n  # the switch\n  enabled: true # for now\n  more: [ 1, 2 ]\nlast: "x"\n',
    )
    expect(readSwitchFile(workspace)).toBe(true)
  })

  test.each([
    ['', true],
    ['# only a comment\n', false],
    ['name: a\n', true],
    ['shell_hooks:\n', false],
    ['shell_hooks: {}\n', true],
  ] as const)('adds what is missing: %j', async (text, isOn) => {
    fs.writeFileSync(file, text)
    expect(await write(isOn)).toBeUndefined()
    expect(readSwitchFile(workspace)).toBe(isOn)
    expect(fs.readFileSync(file, 'utf8')).toContain(
      text.trim().replace('{}', '').replace('shell_hooks:\n', 'shell_hooks:'),
    )
  })

  test('makes the file when there is none, and leaves no other behind', async () => {
    expect(await write(true)).toBeUndefined()
    expect(readSwitchFile(workspace)).toBe(true)
    expect(fs.readdirSync(path.dirname(file))).toEqual(['agent.yaml'])
  })

  test.each<[string, () => void, RegExp]>([
    ['a file that is no YAML', () => fs.writeFileSync(file, 'a: ['), /it is not valid YAML/],
    ['a list', () => fs.writeFileSync(file, '- a'), /it is not a mapping/],
    [
      'a switch of another shape',
      () => fs.writeFileSync(file, 'shell_hooks: on'),
      /its shell_hooks is not a mapping/,
    ],
    ['a pipe', () => execFileSync('mkfifo', [file]), /it is not a regular file/],
    ['a folder', () => fs.mkdirSync(file), /it is not a regular file/],
    [
      'a link, which could lead anywhere',
      () => fs.symlinkSync('/etc/hosts', file),
      /it is not a regular file/,
    ],
    [
      'no folder to write in',
      () => fs.rmSync(path.dirname(file), { recursive: true }),
      /could not be written/,
    ],
  ])('leaves %s as it is, and says so', async (_, place, words) => {
    place()
    expect(await write(true)).toMatch(words)
  })

  test('what a write that was cut short left behind does not stop the next but one', async () => {
    fs.writeFileSync(`${file}.hookgate-${process.pid}`, 'half')
    await write(true)
    expect(await write(true)).toBeUndefined()
    expect(fs.readdirSync(path.dirname(file))).toEqual(['agent.yaml'])
  })

  test('a pipe under the temporary name makes nobody wait: the switch is told at once, and the script ends in time', async () => {
    const told: string[] = []
    let ended: Promise<string | undefined> | undefined
    const writer = createSwitchFileWriter({
      workspace,
      render: () => Promise.resolve({ text: 'x' }),
      read: () => Promise.resolve(),
      tell: (why) => void told.push(why),
      // What an agent does that puts its pipe there between two steps of the script.
      asAgent: (script, args, input) =>
        (ended = startScript(
          startAsGate,
          script.replace('rm -f "$1"; set -C', 'mkfifo "$1"'),
          args,
          input,
          300,
        )),
    })
    expect(writer.write(true)).toBeUndefined()
    expect(told).toEqual([])
    await until('the script to be started', () => ended !== undefined)
    expect(await ended).toBe('it did not end within 0.3 s')
    await until('the owners to hear of it', () => told.length === 1)
    expect(told[0]).toContain('the switch itself is set')
  })

  test('of several changes the last one is written', async () => {
    const asked: boolean[] = []
    let finish: (() => void) | undefined
    const writer = createSwitchFileWriter({
      workspace,
      read: () => Promise.resolve(),
      tell: () => undefined,
      asAgent: () => Promise.resolve(undefined),
      render: (isOn) => {
        asked.push(isOn)
        return new Promise((resolve) => {
          finish = () => resolve({ text: '' })
        })
      },
    })
    for (const isOn of [true, false, true, false]) writer.write(isOn)
    finish?.()
    await until('the last one to be written', () => asked.length === 2)
    expect(asked).toEqual([true, false])
  })

  test('it is settled when the file was read after the last write, and not before', async () => {
    const reads: (() => void)[] = []
    const writer = createSwitchFileWriter({
      workspace,
      render: () => Promise.resolve({ text: '' }),
      asAgent: () => Promise.resolve(undefined),
      read: () => new Promise((resolve) => reads.push(resolve)),
      tell: () => undefined,
    })
    expect(writer.isSettled()).toBe(true)
    writer.write(true)
    await until('the first reading', () => reads.length === 1)
    writer.write(false)
    await until('the second reading', () => reads.length === 2)
    reads[0]?.()
    await setImmediate()
    expect(writer.isSettled()).toBe(false)
    reads[1]?.()
    await setImmediate()
    expect(writer.isSettled()).toBe(true)
    for (const isOn of [true, false]) {
      const from = reads.length
      writer.write(isOn)
      await until('one more reading', () => reads.length > from)
    }
    reads[3]?.()
    reads[2]?.()
    await setImmediate()
    expect(writer.isSettled()).toBe(true)
  })
})
