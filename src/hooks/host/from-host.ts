import { isObject } from '../../model/base/json.ts'
import { isFaultKind } from '../../model/hooks/fault.ts'
import type { FromHost } from './protocol.ts'

type FieldCheck = (value: unknown) => boolean

const isText: FieldCheck = (value) => typeof value === 'string'
const isFlag: FieldCheck = (value) => typeof value === 'boolean'
const isCount: FieldCheck = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isTime: FieldCheck = (value) => typeof value === 'number' && value >= 0
const isAbsent: FieldCheck = (value) => value === undefined
const either =
  (...checks: readonly FieldCheck[]): FieldCheck =>
  (value) =>
    checks.some((check) => check(value))
const shape =
  (fields: Readonly<Record<string, FieldCheck>>): FieldCheck =>
  (value) =>
    isObject(value) &&
    Object.entries(fields).every(([name, check]) => check((value as Readonly<Record<string, unknown>>)[name]))

const isFailure = shape({
  kind: isFaultKind,
  detail: isText,
})
const isResult = shape({
  exitCode: either((code) => code === null, Number.isInteger),
  stdout: isText,
  // What comes over this channel was not read with care yet.
  json: isAbsent,
  stderr: isText,
  isStderrCut: either(isAbsent, isFlag),
  isTruncated: isFlag,
  failure: either(isAbsent, isFailure),
  inOwnFolder: either(isAbsent, isFlag),
  durationMs: isTime,
})
const isProbe = either(
  shape({ isSafe: (is) => is === true, coldMs: isTime, warmMs: isTime }),
  shape({ isSafe: (is) => is === false, why: isText }),
)

const messages: Readonly<Record<FromHost['type'], FieldCheck>> = {
  ready: () => true,
  group: shape({ pid: isCount, isOver: isFlag }),
  started: shape({ id: isCount, pid: isCount }),
  done: shape({ id: isCount, result: isResult, goesOn: isFlag }),
  probed: shape({ id: isCount, probe: isProbe }),
  measured: shape({ id: isCount, bytes: either(isCount, (bytes) => bytes === 'endless') }),
  stderr: shape({ id: isCount, text: isText }),
  ended: shape({ id: isCount, failure: either(isAbsent, isFailure) }),
}

/**
 * True for a message that a hook host sends. A hook runs as the host's user, so it may be able to write into
 * the host's channel: what has another form must not reach the gate.
 */
export const isFromHost = (message: unknown): message is FromHost => {
  if (!isObject(message)) return false
  const { type } = message as { readonly type?: unknown }
  return (
    typeof type === 'string' && Object.hasOwn(messages, type) && messages[type as FromHost['type']](message)
  )
}
