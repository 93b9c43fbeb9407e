import { chownSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeCertificate } from '../certificate.ts'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { startInVain } from '../e2e/rig.ts'
import { needs } from '../needs.ts'
import { useDatabase } from './postgres-server.ts'

const database = useDatabase()
let folder: string
let program: Program | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-tls-'))
})
afterEach(async () => {
  await program?.remove()
  rmSync(folder, { recursive: true })
})

/** Gives the server a certificate for this name that no authority of the system knows. Returns its file. */
const certify = async (name: string): Promise<string> => {
  const { key, certificate } = makeCertificate(folder, `DNS:${name}`)
  const [row] = await database.run('SHOW data_directory')
  const data = String(row?.['data_directory'])
  const { uid, gid } = statSync(data)
  for (const [from, as] of [
    [key, 'server.key'],
    [certificate, 'server.crt'],
  ] as const) {
    copyFileSync(from, join(data, as))
    chownSync(join(data, as), uid, gid)
  }
  await database.run('ALTER SYSTEM SET ssl = on')
  await database.run('SELECT pg_reload_conf()')
  await until('TLS', async () => (await database.run('SHOW ssl'))[0]?.['ssl'] === 'on')
  return certificate
}

const address = (host: string, sslmode: string): string =>
  Object.assign(new URL(database.url()), { hostname: host, search: `?sslmode=${sslmode}` }).href

const isEncrypted = async (): Promise<unknown> => {
  const rows = await database.run(`SELECT bool_and(ssl) AS "isAll" FROM pg_stat_ssl
    JOIN pg_stat_activity USING (pid) WHERE application_name = 'hookgate'`)
  return rows[0]?.['isAll']
}

const options = { ...needs('openssl'), timeout: 90_000 }

test('with verify-full a server needs its name and a known authority', options, async ({ skip }) => {
  skip(!database.isOurs(), 'No test changes a server of somebody else.')
  const checked = { HOOKGATE_DATABASE: address('localhost', 'verify-full') }
  const authority = await certify('localhost')
  const { code, output } = await startInVain(folder, checked)
  expect(code).toBe(1)
  expect(output).toMatch(/got "self-signed certificate.*Name the file of its authority/)
  const known = { ...checked, NODE_EXTRA_CA_CERTS: authority }
  program = await startProgram(known)
  expect(await isEncrypted()).toBe(true)
  await program.stop()
  await certify('database.example')
  const other = await startInVain(folder, known)
  expect(other.code).toBe(1)
  expect(other.output).toMatch(/a certificate that counts here, got .*DNS:database\.example/)
  program = await program.again({ HOOKGATE_DATABASE: address('localhost', 'require') })
  expect(await isEncrypted()).toBe(true)
})
