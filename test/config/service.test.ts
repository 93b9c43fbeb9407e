import { spawnSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { createWaitingServer } from '../../src/compose/health/waiting-server.ts'

const folder = resolve(import.meta.dirname, '../../config/service')
const text = readFileSync(join(folder, 'compose.yaml'), 'utf8')
const page = readFileSync(join(folder, 'README.md'), 'utf8')

const Service = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
})
const Compose = z.object({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
})
const { services, volumes } = Compose.parse(parse(text, { merge: true }))
const gates = Object.entries(services).filter(([name]) => name.startsWith('gate-'))

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookgate-service-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('there are a database and two gates, built from our own image, each with a folder of its own', () => {
  expect(services['database']?.image).toMatch(/\/postgres:17$/)
  expect(gates.map(([name]) => name)).toEqual(['gate-one', 'gate-two'])
  for (const [, { build, image }] of gates) {
    expect(image).toBe('hookgate')
    expect(existsSync(resolve(folder, build?.context ?? '', build?.dockerfile ?? ''))).toBe(true)
  }
  const homes = gates.flatMap(([, { volumes: mounted }]) => mounted)
  expect(new Set(homes).size).toBe(2)
  const used = Object.values(services).flatMap(({ volumes: mounted }) =>
    mounted.map((each) => each.split(':')[0]),
  )
  expect(new Set(used)).toEqual(new Set(Object.keys(volumes)))
})

test('every service that needs the database waits until it answers', () => {
  const needing = Object.entries(services).filter(([, { environment }]) =>
    Object.values(environment).some((value) => value.includes('@database:')),
  )
  expect(needing.map(([name]) => name)).toEqual(expect.arrayContaining(gates.map(([name]) => name)))
  for (const [, { depends_on: waits }] of needing)
    expect(waits['database']?.condition).toBe('service_healthy')
  expect(services['database']?.healthcheck?.test).toContain('pg_isready')
})

test('no secret is in the file, and the page explains each variable that it wants', () => {
  const secrets = Object.values(services).flatMap(({ environment }) =>
    Object.entries(environment).filter(([name]) => /PASSWORD|TOKEN|DATABASE$/.test(name)),
  )
  expect(secrets.length).toBeGreaterThan(3)
  for (const [, value] of secrets)
    expect(value.replaceAll(/\$\{\w+:\?\}/g, '')).toMatch(
      /^(|postgres:\/\/hookgate:@database:5432\/hookgate)$/,
    )
  const wanted = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name))
  expect([...wanted].filter((name) => !page.includes(`\n${name}=`))).toEqual([])
})

test('the key is made once, and both gates have it', () => {
  const { command = [] } = services['key'] ?? {}
  const volumesOf = [join(root, 'one'), join(root, 'two')]
  const run = () =>
    spawnSync(process.execPath, [...command.slice(1, -2), ...volumesOf], { encoding: 'utf8' }).status
  const files = volumesOf.map((volume) => join(volume, 'gate/secrets/ledger.key'))
  const keys = () => files.map((file) => readFileSync(file, 'hex'))
  expect(command.slice(-2)).toEqual(['/one', '/two'])
  expect(run()).toBe(0)
  const made = keys()
  expect(made[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(made[1]).toBe(made[0])
  const modeOf = (path: string): number => statSync(path).mode & 0o777
  for (const volume of volumesOf)
    expect(
      ['gate', 'gate/secrets', 'gate/secrets/ledger.key'].map((name) => modeOf(join(volume, name))),
    ).toEqual([0o711, 0o700, 0o600])
  rmSync(files[0] ?? '')
  expect(run()).toBe(0)
  expect(keys()).toEqual(made)
  writeFileSync(files[0] ?? '', 'another key')
  expect(run()).toBe(1)
})

test('a gate that answers is healthy, also while it waits, and the check tells what it says', async () => {
  const port = await freePort()
  const [, , flag = '', script = ''] = gates[0]?.[1].healthcheck?.test ?? []
  const check = async (): Promise<readonly [number | null, string]> => {
    const child = spawn(process.execPath, [flag, script.replace(':8787', `:${port}`)])
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    const [code] = await once(child, 'close')
    return [code, said]
  }
  expect(await check()).toEqual([1, ''])
  const waiting = createWaitingServer(port, () => undefined)
  await waiting.open()
  try {
    await expect.poll(check).toEqual([0, expect.stringContaining('waits')])
  } finally {
    await waiting.close()
  }
})
