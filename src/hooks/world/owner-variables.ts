import type { Entry } from '../../model/hooks/entry.ts'
import { got, type Problem } from '../../model/gate/problem.ts'
import type { RunResult } from '../host/protocol.ts'

/** Variables that gate.yaml lists for hooks, with their values; empty: listed, but not set. */
export type OwnerVariables = Readonly<Record<string, string>>

/** What every hook has anyway, and an entry may hand on under another name. */
const ofEveryHook = new Set(['HOME', 'LANG', 'LOGNAME', 'PATH', 'TMPDIR', 'USER'])
const whole = /^\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))$/
const somewhere = /\$(?:\{[A-Za-z_]|[A-Za-z_])/
/** A shorter value is hardly a secret, and would be found in many a text that has nothing to do with it. */
const minHiddenChars = 6

/** The variable that a value stands for: the whole of it is `$NAME` or `${NAME}`. */
const namedBy = (value: string): string | undefined => {
  const found = whole.exec(value)
  return found?.[1] ?? found?.[2]
}

const problem = (message: string, fix: string): Problem => ({ code: 'entry.env', message, fix })

/** Why an entry's `env` cannot be filled in, without any value; undefined when it can. */
export const variableProblem = ({ env }: Pick<Entry, 'env'>, listed: OwnerVariables): Problem | undefined => {
  for (const [where, text] of Object.entries(env)) {
    const name = namedBy(text)
    if (name === undefined || ofEveryHook.has(name)) continue
    if (!Object.hasOwn(listed, name)) {
      return problem(
        `Expected "env.${where}" to name only variables that gate.yaml lists, got ${got(`$${name}`)}.`,
        `Write it into gate.yaml, hooks: {env: [${name}]}, and restart hookgate.`,
      )
    }
    if (listed[name] === '') {
      return problem(
        `Expected the environment variable ${name}, which "env.${where}" names, to be set, got nothing.`,
        `Set ${name} where hookgate is started.`,
      )
    }
  }
  return undefined
}

/** What an owner could misread in an entry's `env`, as sentences. */
export const variableRemarks = ({ env }: Pick<Entry, 'env'>): readonly string[] => {
  const odd = Object.entries(env)
    .filter(([, text]) => namedBy(text) === undefined && somewhere.test(text))
    .map(([name]) => name)
  return odd.length === 0
    ? []
    : [
        `${odd.join(', ')} of its "env" is handed on as it stands: only a whole value $NAME stands for a variable.`,
      ]
}

/** An entry's `env` with its variables filled in. What cannot be filled in is left out: `variableProblem` has said why. */
export const filledEnv = (
  { env }: Pick<Entry, 'env'>,
  listed: OwnerVariables,
  base: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([where, text]) => {
      const name = namedBy(text)
      if (name === undefined) return [[where, text]]
      const value = ofEveryHook.has(name)
        ? base[name]
        : Object.hasOwn(listed, name)
          ? listed[name]
          : undefined
      return value === undefined || value === '' ? [] : [[where, value]]
    }),
  )

/**
 * Hooks of other systems read a token from the environment that they are started in, and no file of theirs names it: they
 * get every variable that gate.yaml lists and that is set.
 */
export const givenToForeign = (
  { dialect }: Pick<Entry, 'dialect'>,
  listed: OwnerVariables,
): Readonly<Record<string, string>> =>
  dialect === undefined ? {} : Object.fromEntries(Object.entries(listed).filter(([, value]) => value !== ''))

/** What a hook left behind, with the owner's values taken out of it: a trace of a shell or an error can quote them. */
export const withoutValues = (result: RunResult, listed: OwnerVariables): RunResult => {
  const hidden = Object.entries(listed).filter(([, value]) => value.length >= minHiddenChars)
  const hide = (text: string): string =>
    hidden.reduce((left, [name, value]) => {
      const inJson = JSON.stringify(value).slice(1, -1)
      return left.replaceAll(value, `$${name}`).replaceAll(inJson, `$${name}`)
    }, text)
  const { failure } = result
  return {
    ...result,
    stdout: hide(result.stdout),
    stderr: hide(result.stderr),
    ...(failure === undefined ? {} : { failure: { ...failure, detail: hide(failure.detail) } }),
  }
}
