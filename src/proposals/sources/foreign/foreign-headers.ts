import { got } from '../../../core/model/gate/problem.ts'
import type { ForeignHook } from './foreign.ts'
import type { HookOptions } from '../options.ts'

const variables = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g
const maxListed = 5

const names = (variables: ReadonlySet<string>): string => [...variables].slice(0, maxListed).join(', ')

/**
 * Reads the headers of an HTTP handler. A variable that the handler itself does not allow is replaced by
 * nothing, even when gate.yaml lists it.
 */
export const headersOf = (
  options: HookOptions,
): Required<Pick<ForeignHook, 'remarks'>> & Pick<ForeignHook, 'headers'> => {
  const [written, allowed = []] = [options.record('headers'), options.texts('allowedEnvVars')]
  if (written === undefined) return { remarks: [] }
  const used = new Set<string>()
  const dropped = new Set<string>()
  const headers = Object.fromEntries(
    Object.entries(written).map(([name, value]) => [
      name,
      value.replaceAll(variables, (whole, braced?: string, bare?: string) => {
        const variable = braced ?? bare ?? ''
        const isAllowed = allowed.includes(variable)
        ;(isAllowed ? used : dropped).add(variable)
        return isAllowed ? whole : ''
      }),
    ]),
  )
  return {
    headers,
    remarks: [
      used.size > 0 && `Its headers use ${names(used)}, which gate.yaml must list.`,
      dropped.size > 0 &&
        `Its headers use ${names(dropped)}, which its "allowedEnvVars" does not list, so the value is left empty.`,
    ],
  }
}

/**
 * Reads the variables of a handler. Hooks do not get the gate's environment, so a variable whose value refers
 * to it is left out.
 */
export const envOf = (
  options: HookOptions,
  reference: RegExp,
): Required<Pick<ForeignHook, 'env' | 'remarks'>> => {
  const variables = Object.entries(options.record('env') ?? {})
  return {
    env: Object.fromEntries(variables.filter(([, value]) => !reference.test(value))),
    remarks: variables
      .filter(([, value]) => reference.test(value))
      .slice(0, 5)
      .map(
        ([name, value]) =>
          `Its variable ${name} is left out, because ${got(value)} needs the environment of the gate.`,
      ),
  }
}
