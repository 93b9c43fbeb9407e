import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson, type Json } from '../core/model/base/json.ts'
import { ProblemError } from '../core/model/gate/problem.ts'
import { nodeKey, nodeName } from '../core/model/nodes/node.ts'

/** What a machine needs to connect as a node. It holds the private key, so only this user may read it. */
export interface Identity {
  readonly name: string
  /** The addresses of the gate, in the order in which they are tried. */
  readonly gates: readonly string[]
  /** The private Ed25519 key as a JWK: `d` and `x` in base64url. */
  readonly key: { readonly d: string; readonly x: string }
}

export const identityPath = (home: string): string => join(home, 'secrets', 'node.json')

const isIdentity = (value: Json | undefined): boolean => {
  if (!isObject(value)) return false
  const { name, gates, key } = value
  return (
    typeof name === 'string' &&
    nodeName.test(name) &&
    Array.isArray(gates) &&
    gates.length > 0 &&
    gates.every((gate) => typeof gate === 'string' && URL.canParse(gate)) &&
    isObject(key) &&
    [key['d'], key['x']].every((part) => typeof part === 'string' && nodeKey.test(part))
  )
}

/** Returns undefined when this machine is no node yet. Throws a ProblemError for a file that is damaged. */
export const readIdentity = (home: string): Identity | undefined => {
  const file = identityPath(home)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new ProblemError({
      code: 'node.unreadable',
      message: `Expected ${file} to be readable, but it is not.`,
      fix: 'Start hookgate node as the user who owns that file.',
      file,
    })
  }
  const value = parseJson(text)
  if (isIdentity(value)) return value as unknown as Identity
  throw new ProblemError({
    code: 'node.damaged',
    message: `Expected ${file} to hold the key of a node, got something else.`,
    fix: 'Remove the file, and join again with a code of /nodes add.',
    file,
  })
}

export const writeIdentity = (home: string, identity: Identity): void => {
  const file = identityPath(home)
  mkdirSync(join(home, 'secrets'), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${JSON.stringify(identity)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Makes a new key. Each gate gets a key of its own, so a proof for one gate says nothing to another. */
export const newKey = (): Identity['key'] => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { d = '', x = '' }: JsonWebKey = privateKey.export({ format: 'jwk' })
  return { d, x }
}
