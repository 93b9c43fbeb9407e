import type { ForeignHook } from './foreign-hook.ts'
import type { HookOptions } from '../options.ts'

const variables = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g
const maxTold = 5

const names = (variables: ReadonlySet<string>): string => [...variables].slice(0, maxTold).join(', ')

/** An HTTP handler's headers. Of a variable that the handler itself does not allow nothing is sent, whatever gate.yaml lists. */
export const headersOf = (
  options: HookOptions,
): Required<Pick<ForeignHook, 'remarks'>> & Pick<ForeignHook, 'headers'> => {
  const [said, allowed = []] = [options.record('headers'), options.texts('allowedEnvVars')]
  if (said === undefined) return { remarks: [] }
  const used = new Set<string>()
  const dropped = new Set<string>()
  const headers = Object.fromEntries(
    Object.entries(said).map(([name, value]) => [
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
      ...(used.size === 0 ? [] : [`Its headers name ${names(used)}, which gate.yaml must list.`]),
      ...(dropped.size === 0
        ? []
        : [`Its headers name ${names(dropped)}, which its "allowedEnvVars" does not list: left empty.`]),
    ],
  }
}
