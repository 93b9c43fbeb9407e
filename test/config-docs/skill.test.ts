import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { isObject } from '../../src/core/model/base/json.ts'

// The rules are those of https://agentskills.io/specification.
const root = resolve(import.meta.dirname, '../..')
const skills = globSync('{bots,config,examples,src}/**/SKILL.md', { cwd: root, exclude: ['**/node_modules'] })
const text = readFileSync(resolve(root, skills[0] ?? ''), 'utf8')
const [, head = '', body = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? []
const known = ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name']

it('there is one skill, in a folder "skills" of the package, where installers look', () => {
  expect(skills).toEqual(['config/context/skills/agent-hooks/SKILL.md'])
  const { files }: { files: readonly string[] } = JSON.parse(
    readFileSync(resolve(root, 'package.json'), 'utf8'),
  )
  expect(files).toContain('config')
})

it('its head has what the specification of skills asks for, and nothing else', () => {
  const fields: unknown = parse(head)
  if (!isObject(fields)) throw new Error('The head is no mapping.')
  expect(Object.keys(fields).filter((name) => !known.includes(name))).toEqual([])
  const { name, description, license, compatibility } = fields
  expect(name).toBe(basename(dirname(skills[0] ?? '')))
  expect(name).toMatch(/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/)
  expect(description).toMatch(/^[^<>]{1,1024}$/)
  // It says when to use the skill, because an agent decides by this text alone.
  expect(description).toContain('Use this skill when')
  expect(license).toBe('MIT')
  expect(compatibility).toMatch(/^.{1,500}$/)
})

it('it is as short as the specification advises', () => {
  expect(body.split('\n').length).toBeLessThan(500)
  // A token of English is about four characters; three are the careful answer.
  expect(body.length / 3).toBeLessThan(5000)
})

it('a client elsewhere learns where the pages lie that the skill names, and each of them is there', () => {
  expect(body).toContain("All paths on this page start at hookgate's workspace.")
  expect(body).toContain('`~/hookgate`')
  const pages = [...body.matchAll(/`(config\/context\/[^`]+)`/g)].map(([, page = '']) => page)
  expect(pages.length).toBeGreaterThan(2)
  expect(pages.filter((page) => !existsSync(resolve(root, page)))).toEqual([])
})
