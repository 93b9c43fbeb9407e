import type { Entry } from '../../core/model/hooks/entry.ts'
import type { ProposedHook } from '../../shared/gate/catalogue.ts'
import type { Problem } from '../../core/model/gate/problem.ts'
import {
  variableProblem,
  variableRemarks,
  type OwnerVariables,
} from '../../handlers/world/owner-variables.ts'
import { builtinProblem } from '../../handlers/builtins/builtins.ts'
import { headerProblem } from '../../handlers/transports/headers.ts'
import { resolveProblem, urlProblem } from '../../handlers/transports/target.ts'

/**
 * The most names that are looked up for one reading of all files. Every name is checked again when the gate
 * connects to it.
 */
const maxLookups = 50

export interface TargetPorts {
  readonly http: { readonly env: Readonly<Record<string, string>>; readonly allowLocal: boolean }
  /** The variables that gate.yaml lists for hooks. */
  readonly listed?: OwnerVariables
  /** True when gate.yaml names an endpoint for hooks of type llm. */
  readonly hasModel: boolean
  resolve?: typeof resolveProblem
}

const onlyHere: Problem = {
  code: 'entry.env',
  message:
    'Expected "env" of a hook for all machines to be plain text, got a variable, which only the machine of the gate has.',
  fix: 'Remove it or "nodes: all".',
}

/**
 * Checks the targets of proposals when they are read, and not only when a hook fires: URLs, builtins,
 * variables and models.
 */
export const createTargets = ({ http, hasModel, listed = {}, resolve = resolveProblem }: TargetPorts) => {
  const resolved = new Map<string, Problem | undefined>()

  const problemOf = ({ type, command, ...entry }: Entry): Problem | undefined => {
    if (type === 'builtin') return builtinProblem({ ...entry, command })
    if (entry.nodes === 'all' && variableProblem(entry, {}) !== undefined) return onlyHere
    if (type === 'command' || type === 'process') return variableProblem(entry, listed)
    if (type !== 'http') return undefined
    const found = resolved.get(command)
    return (
      urlProblem(command, http) ??
      headerProblem(entry, http.env) ??
      (found?.code === 'url.unresolved' ? undefined : found)
    )
  }
  const remarkOf = ({ type, command }: Entry): string | undefined => {
    if (type === 'llm' && !hasModel)
      return 'gate.yaml names no model, so each question of this hook is a fault.'
    const found = type === 'http' ? resolved.get(command) : undefined
    return found?.code === 'url.unresolved'
      ? `${found.message} It is looked up again when the hook is asked.`
      : undefined
  }

  return {
    judge: (place: ProposedHook): ProposedHook => {
      if (place.kind === 'invalid') return place
      const { entry, remarks = [] } = place
      const problem = problemOf(entry)
      if (problem !== undefined)
        return {
          kind: 'invalid',
          event: entry.event,
          command: entry.command,
          problem: { ...problem, file: entry.origin },
        }
      const remark = remarkOf(entry)
      const more = [...(remark === undefined ? [] : [remark]), ...variableRemarks(entry)]
      return more.length === 0 ? place : { ...place, remarks: [...remarks, ...more] }
    },
    /** Looks up the host names of all URLs again. Resolves with true when a result changed. Never rejects. */
    lookUp: async (proposed: readonly ProposedHook[]): Promise<boolean> => {
      const urls = [
        ...new Set(
          proposed.flatMap((place) =>
            place.kind === 'entry' && place.entry.type === 'http' ? [place.entry.command] : [],
          ),
        ),
      ].slice(0, maxLookups)
      const found = await Promise.all(urls.map(async (url) => [url, await resolve(url, http)] as const))
      const isNew = found.some(([url, problem]) => problem?.message !== resolved.get(url)?.message)
      resolved.clear()
      for (const [url, problem] of found) resolved.set(url, problem)
      return isNew
    },
  }
}
