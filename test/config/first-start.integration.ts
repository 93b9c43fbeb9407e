import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  copyDefaults,
  isFirstStart,
  packageRoot,
  prepareFolders as makeFolders,
} from '../../src/config/first-start.ts'
import { readGateFile } from '../../src/config/gate-file.ts'
import { gateSchema } from '../../src/config/schema.ts'
import { watch } from '../../src/config/watch.ts'
import { startAsGate } from '../../src/shared/gate/separation.ts'
import { runScript } from '../../src/isolation/run-script.ts'
import { ProblemError } from '../../src/core/model/gate/problem.ts'
import { until } from '../core/dispatcher/rig.ts'

let root: string
let home: string
let workspace: string
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-first-'))
  home = path.join(root, 'deep', 'home')
  workspace = path.join(root, 'deep', 'workspace')
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const prepareFolders = (home: string, workspace: string): void => {
  makeFolders(home, workspace)
  copyDefaults(workspace, isFirstStart(home), (script, args) => runScript(startAsGate, script, args))
}
/** As a gate leaves its folder that has started once. */
const hasStarted = (): void => fs.writeFileSync(path.join(home, 'state.db'), '')
const at = (...names: readonly string[]): string => path.join(workspace, ...names)
const refusal = (): unknown => {
  try {
    prepareFolders(home, workspace)
  } catch (error) {
    return error instanceof ProblemError ? error.problem : error
  }
  return undefined
}

describe('a first start', () => {
  test('makes the folders and copies the defaults out', () => {
    prepareFolders(home, workspace)
    for (const name of ['secrets', 'seal', 'run', 'run/empty'])
      expect(fs.statSync(path.join(home, name)).isDirectory()).toBe(true)
    expect((fs.statSync(path.join(home, 'secrets')).mode & 0o777).toString(8)).toBe('700')
    for (const name of ['config/shell_hooks.yaml', 'config/agent.yaml'])
      expect(fs.readFileSync(at(name))).toEqual(fs.readFileSync(path.join(packageRoot(), name)))
    const examples = fs.readdirSync(path.join(packageRoot(), 'examples'))
    expect(fs.readdirSync(at('.hookgate-examples')).toSorted()).toEqual(
      ['.gitignore', ...examples].toSorted(),
    )
    for (const name of examples)
      expect(fs.statSync(at('.hookgate-examples', name)).mode & 0o111, name).toBe(
        fs.statSync(path.join(packageRoot(), 'examples', name)).mode & 0o111,
      )
    expect(fs.existsSync(at('config', 'context'))).toBe(true)
    // Only a hidden folder is new beside config/, and git ignores it.
    expect(fs.readdirSync(workspace).toSorted()).toEqual(['.hookgate-examples', 'config'])
    expect(fs.readFileSync(at('.hookgate-examples', '.gitignore'), 'utf8')).toBe('*\n')
  })

  test('writes a gate.yaml of comments, which changes nothing, and only at the first start where there is none', () => {
    const file = path.join(home, 'gate.yaml')
    prepareFolders(home, workspace)
    expect((fs.statSync(file).mode & 0o777).toString(8)).toBe('600')
    const text = fs.readFileSync(file, 'utf8')
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([])
    expect(readGateFile(home).file).toEqual(gateSchema.parse({}))
    fs.writeFileSync(file, 'previews: true\n')
    prepareFolders(home, workspace)
    expect(fs.readFileSync(file, 'utf8')).toBe('previews: true\n')
    fs.rmSync(file)
    // With a database there is no store in the folder, and the head of the ledger is.
    const head = path.join(home, 'secrets', 'ledger.head')
    fs.writeFileSync(head, '')
    prepareFolders(home, workspace)
    expect(fs.existsSync(file)).toBe(false)
    fs.rmSync(head)
    hasStarted()
    prepareFolders(home, workspace)
    expect(fs.existsSync(file)).toBe(false)
    // A link is not written through.
    fs.rmSync(path.join(home, 'state.db'))
    fs.symlinkSync(path.join(root, 'elsewhere'), file)
    prepareFolders(home, workspace)
    expect(fs.existsSync(path.join(root, 'elsewhere'))).toBe(false)
  })

  test('each option in that gate.yaml is one, with its default, and no option is missing', () => {
    const text = fs.readFileSync(path.join(packageRoot(), 'config', 'gate.yaml'), 'utf8')
    const isOption = (line: string): boolean => /^#(?! \S)./.test(line)
    const options = text.split('\n').filter(isOption)
    const alternatives = text
      .split('\n')
      .flatMap((line) => /^# ((?:agents|llm|metrics|nodes): .*)/.exec(line)?.[1] ?? [])
    fs.mkdirSync(home, { recursive: true })
    const read = (lines: readonly string[]) => {
      fs.writeFileSync(path.join(home, 'gate.yaml'), lines.join('\n'))
      return readGateFile(home).file
    }
    const file = read(options.map((line) => line.slice(1)))
    expect(file).toEqual(gateSchema.parse({}))
    expect(alternatives).toHaveLength(5)
    for (const alternative of alternatives) read([alternative])
    for (const name of Object.keys(gateSchema.shape))
      expect(text, name).toMatch(
        new RegExp(String.raw`^#(?: (?=agents: |llm: |metrics: |nodes: ))?${name}:`, 'm'),
      )
  })

  test('overwrites nothing, the second time either', () => {
    fs.mkdirSync(at('config'), { recursive: true })
    fs.mkdirSync(at('.hookgate-examples'), { recursive: true })
    fs.writeFileSync(at('config', 'agent.yaml'), 'mine: 1\n')
    fs.writeFileSync(at('.hookgate-examples', 'block_destructive.sh'), 'mine')
    prepareFolders(home, workspace)
    hasStarted()
    fs.writeFileSync(at('config', 'shell_hooks.yaml'), 'hooks: []\n')
    fs.rmSync(at('.hookgate-examples', 'block_secrets.py'), { force: true })
    prepareFolders(home, workspace)
    expect(fs.readFileSync(at('config', 'agent.yaml'), 'utf8')).toBe('mine: 1\n')
    expect(fs.readFileSync(at('.hookgate-examples', 'block_destructive.sh'), 'utf8')).toBe('mine')
    expect(fs.readFileSync(at('config', 'shell_hooks.yaml'), 'utf8')).toBe('hooks: []\n')
    expect(fs.existsSync(at('.hookgate-examples', 'block_secrets.py'))).toBe(false)
  })

  test('a workspace that has its own settings gets each example and page that it lacks, and keeps its own', () => {
    fs.mkdirSync(at('config', 'context', 'references'), { recursive: true })
    fs.mkdirSync(at('.hookgate-examples'), { recursive: true })
    for (const name of ['agent.yaml', 'shell_hooks.yaml']) fs.writeFileSync(at('config', name), 'mine: 1\n')
    fs.writeFileSync(at('config', 'context', 'references', 'agent-hooks.md'), 'mine')
    fs.writeFileSync(at('.hookgate-examples', 'block_secrets.py'), 'mine')
    prepareFolders(home, workspace)
    for (const name of ['agent.yaml', 'shell_hooks.yaml'])
      expect(fs.readFileSync(at('config', name), 'utf8')).toBe('mine: 1\n')
    expect(fs.readFileSync(at('config', 'context', 'references', 'agent-hooks.md'), 'utf8')).toBe('mine')
    expect(fs.readFileSync(at('.hookgate-examples', 'block_secrets.py'), 'utf8')).toBe('mine')
    for (const name of [
      'config/context/skills/agent-hooks/SKILL.md',
      'config/context/references/clients.md',
      '.hookgate-examples/check_publish.sh',
    ]) {
      const shipped = path.join(packageRoot(), name.replace('.hookgate-examples', 'examples'))
      expect(fs.readFileSync(at(name)), name).toEqual(fs.readFileSync(shipped))
    }
    hasStarted()
    fs.rmSync(at('.hookgate-examples'), { recursive: true })
    prepareFolders(home, workspace)
    expect(fs.existsSync(at('.hookgate-examples')), 'what the person removed later').toBe(false)
  })

  test.each(['.hookgate-examples', 'config/context', 'config/context/references', 'config'])(
    'nothing is written behind a link in the place of %s',
    (name) => {
      const elsewhere = path.join(root, 'elsewhere')
      fs.mkdirSync(elsewhere)
      for (const own of ['agent.yaml', 'shell_hooks.yaml'])
        fs.writeFileSync(path.join(elsewhere, own), 'mine: 1\n')
      fs.mkdirSync(path.dirname(at(name)), { recursive: true })
      fs.symlinkSync(elsewhere, at(name))
      if (name !== 'config') fs.mkdirSync(at('config'), { recursive: true })
      for (const own of ['agent.yaml', 'shell_hooks.yaml']) fs.writeFileSync(at('config', own), 'mine: 1\n')
      expect(refusal()).toBeUndefined()
      expect(fs.readdirSync(elsewhere).toSorted()).toEqual(['agent.yaml', 'shell_hooks.yaml'])
      expect(fs.readlinkSync(at(name))).toBe(elsewhere)
    },
  )

  test('a workspace that has its own settings and takes nothing more is used as it is, and what it lacks is told', () => {
    fs.mkdirSync(at('config'), { recursive: true })
    for (const own of ['agent.yaml', 'shell_hooks.yaml']) fs.writeFileSync(at('config', own), 'mine: 1\n')
    fs.writeFileSync(at('.hookgate-examples'), 'mine')
    makeFolders(home, workspace)
    expect(
      copyDefaults(workspace, isFirstStart(home), (script, args) => runScript(startAsGate, script, args)),
    ).toBe('.hookgate-examples is no folder')
    expect(fs.readFileSync(at('.hookgate-examples'), 'utf8')).toBe('mine')
  })

  test('does not write through a link that leads out of the workspace', () => {
    fs.mkdirSync(at('config'), { recursive: true })
    fs.symlinkSync(path.join(root, 'elsewhere'), at('config', 'agent.yaml'))
    expect(refusal()).toMatchObject({ code: 'folder.unwritable' })
    expect(fs.existsSync(path.join(root, 'elsewhere'))).toBe(false)
  })

  test.each([
    ["a file in the place of the gate's folder", () => path.join(home), 'HOOKGATE_HOME'],
    ['a file in the place of its secrets', () => path.join(home, 'secrets'), 'HOOKGATE_HOME'],
    ['a file in the place of the workspace', () => workspace, 'HOOKGATE_WORKSPACE'],
    ['a file in the place of its config', () => at('config'), 'HOOKGATE_WORKSPACE'],
  ])('%s: the problem names the variable', (_, place, variable) => {
    fs.mkdirSync(path.dirname(place()), { recursive: true })
    fs.writeFileSync(place(), '')
    expect(refusal()).toMatchObject({
      code: 'folder.unwritable',
      message: expect.stringMatching(/^Expected \/.* to be a folder that can be made and written, but /),
      fix: expect.stringContaining(`${variable}=/path`),
    })
  })
})

describe('a watched file', () => {
  const counted = () => {
    const file = path.join(root, 'watched.yaml')
    let count = 0
    return { file, count: () => count, end: watch(file, () => void count++) }
  }

  test('calls back when it is written in place, replaced, removed and made again', async () => {
    const { file, count, end } = counted()
    // It is told of once while it is not there: from then on the watcher knows how things stood.
    await until('the watcher to have looked', () => count() > 0)
    const steps: readonly (() => void)[] = [
      () => fs.writeFileSync(file, 'one'),
      () => fs.writeFileSync(file, 'two and more'),
      () => {
        fs.writeFileSync(`${file}.new`, 'three')
        fs.renameSync(`${file}.new`, file)
      },
      () => fs.rmSync(file),
      () => fs.writeFileSync(file, 'four'),
      () => {
        fs.rmSync(file)
        fs.symlinkSync('/etc/hosts', file)
      },
    ]
    for (const step of steps) {
      const before = count()
      step()
      await until('the change to be seen', () => count() > before)
    }
    end()
  })

  test('is not looked at any more after the end', async () => {
    const { file, count, end } = counted()
    await until('the watcher to have looked', () => count() > 0)
    end()
    const before = count()
    const other = counted()
    await until('the other to have looked', () => other.count() > 0)
    fs.writeFileSync(file, 'newer than new')
    await until('the other watcher to see it', () => other.count() > 1)
    other.end()
    expect(count()).toBe(before)
  })
})
