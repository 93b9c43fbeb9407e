import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readSwitchFace, switchFile, writeSwitchFace } from '../../src/config/switch-face.ts'
import { startAsGate } from '../../src/model/separation.ts'
import { runScript } from '../../src/separation/run-script.ts'

const here = { asAgent: (script: string, args: readonly string[], input?: string) => runScript(startAsGate, script, args, input) }
let workspace: string
let file: string
beforeEach(() => {
  workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-face-'))
  file = switchFile(workspace)
  fs.mkdirSync(path.dirname(file))
})
afterEach(() => fs.rmSync(workspace, { recursive: true, force: true }))

describe('what agent.yaml says of the switch', () => {
  test.each<[string, boolean | undefined]>([
    ...['true', 'on', 'yes', '1', 'True', 'TRUE', 'On', 'ON', 'Yes', '"on"', "'yes'", '"true"'].map((word): [string, boolean] => [`shell_hooks: {enabled: ${word}}`, true]),
    ...['false', 'off', 'no', '0', 'OFF', 'No', 'False'].map((word): [string, boolean] => [`shell_hooks: {enabled: ${word}}`, false]),
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
    ['['.repeat(50_000), undefined],
  ])('%j', (text, expected) => {
    fs.writeFileSync(file, text)
    expect(readSwitchFace(workspace)).toBe(expected)
  })

  test('a pipe, a link or a huge file in its place says nothing, and nobody hangs', () => {
    expect(readSwitchFace(workspace)).toBeUndefined()
    execFileSync('mkfifo', [file])
    expect(readSwitchFace(workspace)).toBeUndefined()
    fs.rmSync(file)
    fs.writeFileSync(path.join(workspace, 'real'), 'shell_hooks: {enabled: on}')
    fs.symlinkSync('../real', file)
    expect(readSwitchFace(workspace)).toBeUndefined()
    fs.rmSync(file)
    fs.writeFileSync(file, `shell_hooks: {enabled: on}\n# ${'x'.repeat(300_000)}`)
    expect(readSwitchFace(workspace)).toBeUndefined()
  })
})

describe('writing it', () => {
  test('keeps comments, order and everything else', () => {
    fs.writeFileSync(file, '# mine\nname: a\nshell_hooks:\n  # the switch\n  enabled: off # for now\n  more: [1, 2]\nlast: "x"\n')
    expect(writeSwitchFace(workspace, true, here)).toBeUndefined()
    expect(fs.readFileSync(file, 'utf8')).toBe('# mine\nname: a\nshell_hooks:\n  # the switch\n  enabled: true # for now\n  more: [ 1, 2 ]\nlast: "x"\n')
    expect(readSwitchFace(workspace)).toBe(true)
  })

  test.each([['', true], ['# only a comment\n', false], ['name: a\n', true], ['shell_hooks:\n', false], ['shell_hooks: {}\n', true]] as const)('adds what is missing: %j', (text, isOn) => {
    fs.writeFileSync(file, text)
    expect(writeSwitchFace(workspace, isOn, here)).toBeUndefined()
    expect(readSwitchFace(workspace)).toBe(isOn)
    expect(fs.readFileSync(file, 'utf8')).toContain(text.trim().replace('{}', '').replace('shell_hooks:\n', 'shell_hooks:'))
  })

  test('makes the file when there is none, and leaves no other behind', () => {
    expect(writeSwitchFace(workspace, true, here)).toBeUndefined()
    expect(readSwitchFace(workspace)).toBe(true)
    expect(fs.readdirSync(path.dirname(file))).toEqual(['agent.yaml'])
  })

  test.each<[string, () => void, RegExp]>([
    ['a file that is no YAML', () => fs.writeFileSync(file, 'a: ['), /it is not valid YAML/],
    ['a list', () => fs.writeFileSync(file, '- a'), /it is not a mapping/],
    ['a switch of another shape', () => fs.writeFileSync(file, 'shell_hooks: on'), /its shell_hooks is not a mapping/],
    ['a pipe', () => execFileSync('mkfifo', [file]), /it is not a regular file/],
    ['a folder', () => fs.mkdirSync(file), /it is not a regular file/],
    ['a link, which could lead anywhere', () => fs.symlinkSync('/etc/hosts', file), /it is not a regular file/],
    ['no folder to write in', () => fs.rmSync(path.dirname(file), { recursive: true }), /could not be written/],
  ])('leaves %s as it is, and says so', (_, place, words) => {
    place()
    expect(writeSwitchFace(workspace, true, here)).toMatch(words)
  })

  test('what a write that was cut short left behind does not stop the next but one', () => {
    fs.writeFileSync(`${file}.hookgate-${process.pid}`, 'half')
    writeSwitchFace(workspace, true, here)
    expect(writeSwitchFace(workspace, true, here)).toBeUndefined()
    expect(fs.readdirSync(path.dirname(file))).toEqual(['agent.yaml'])
  })
})
