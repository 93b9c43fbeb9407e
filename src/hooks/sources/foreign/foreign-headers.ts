import type { ForeignHook } from './foreign-hook.ts'
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
      ...(used.size === 0 ? [] : [`Its headers use ${names(used)}, which gate.yaml must list.`]),
      ...(dropped.size === 0
        ? []
        : [
            `Its headers use ${names(dropped)}, which its "allowedEnvVars" does not list, so the value is left empty.`,
          ]),
    ],
  }
}
