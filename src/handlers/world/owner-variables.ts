import type { RunResult } from '../../core/model/hooks/run-result.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { got, type Problem } from '../../core/model/gate/problem.ts'

/** The variables that gate.yaml lists for hooks, with their values. An empty value: listed, but not set. */
export type OwnerVariables = Readonly<Record<string, string>>

/** The variables that every hook gets. An entry may pass them on under another name. */
const ofEveryHook = new Set(['HOME', 'LANG', 'LOGNAME', 'PATH', 'TMPDIR', 'USER'])
const whole = /^\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))$/
const somewhere = /\$(?:\{[A-Za-z_]|[A-Za-z_])/
/** A shorter value is hardly a secret and would be found in many unrelated texts. */
const minHiddenChars = 6

/** The variable that a value names: the whole value is `$NAME` or `${NAME}`. */
const namedBy = (value: string): string | undefined => {
  const found = whole.exec(value)
  return found?.[1] ?? found?.[2]
}

const problem = (message: string, fix: string): Problem => ({ code: 'entry.env', message, fix })

/** Why an entry's `env` cannot be filled in; undefined when it can. The message contains no value. */
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

/** Remarks about values of an entry's `env` that an owner could misread. */
export const variableRemarks = ({ env }: Pick<Entry, 'env'>): readonly string[] => {
  const odd = Object.entries(env)
    .filter(([, text]) => namedBy(text) === undefined && somewhere.test(text))
    .map(([name]) => name)
  return odd.length === 0
    ? []
    : [
        `${odd.join(', ')} of its "env" is passed on unchanged: a variable is filled in only when the whole value is $NAME.`,
      ]
}

/**
 * Fills the variables into an entry's `env`. A value that cannot be filled in is left out; `variableProblem`
 * reports it.
 */
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
 * The variables for hooks of other systems. Such hooks read tokens from the environment in which they start,
 * and none of their files names the variable. So they get every listed variable that is set.
 */
export const givenToForeign = (
  { dialect }: Pick<Entry, 'dialect'>,
  listed: OwnerVariables,
): Readonly<Record<string, string>> =>
  dialect === undefined ? {} : Object.fromEntries(Object.entries(listed).filter(([, value]) => value !== ''))

/** Removes the owner's values from results: a shell trace or an error message can quote them. */
export const createHiding = (listed: OwnerVariables): ((result: RunResult) => RunResult) => {
  const hidden = Object.entries(listed).filter(([, value]) => value.length >= minHiddenChars)
  if (hidden.length === 0) return (result) => result
  const hide = (text: string): string =>
    hidden.reduce((left, [name, value]) => {
      const inJson = JSON.stringify(value).slice(1, -1)
      return left.replaceAll(value, `$${name}`).replaceAll(inJson, `$${name}`)
    }, text)
  return (result) => {
    const { failure } = result
    return {
      ...result,
      stdout: hide(result.stdout),
      json: undefined,
      stderr: hide(result.stderr),
      failure: failure && { ...failure, detail: hide(failure.detail) },
    }
  }
}
