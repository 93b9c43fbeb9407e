import { resolve } from 'node:path'
import type { CreateTerminalRequest } from '@agentclientprotocol/sdk'
import { type ReportedCall, commandLine } from './calls.ts'

/** Variables that change how a command looks and not what it does, with the values that are only that. Hooks are not asked about them. */
const looks: Readonly<Record<string, RegExp>> = {
  NO_COLOR: /^1?$/,
  TERM: /^[\w-]{1,40}$/,
  GIT_TERMINAL_PROMPT: /^[01]$/,
  SHELL: /^(?:\/usr)?\/bin\/(?:ba)?sh$/,
  PAGER: /^cat$/,
  GIT_PAGER: /^cat$/,
}

const isLook = ([name, value]: readonly [string, string]): boolean =>
  Object.hasOwn(looks, name) && looks[name]?.test(value) === true

export interface TerminalCall {
  /** What hooks judge. */
  readonly call: ReportedCall
  /** Variables that the command gets beside, which nobody is asked about. */
  readonly looks: Readonly<Record<string, string>>
}

/** The terminal that the agent wants, as a tool call in our words. */
export const terminalCallOf = (
  { command, args, cwd, env }: CreateTerminalRequest,
  workspace: string,
): TerminalCall => {
  const line = commandLine(command, args)
  const isElsewhere = (cwd ?? undefined) !== undefined && resolve(cwd ?? '') !== resolve(workspace)
  // Kimi goes where it is already.
  const going = `cd '${cwd ?? workspace}' && `
  const wanted = (env ?? []).map(({ name, value }) => [name, value] as const)
  const judged = Object.fromEntries(wanted.filter((each) => !isLook(each)))
  return {
    call: {
      name: 'bash',
      input: {
        command: line.startsWith(going) ? line.slice(going.length) : line,
        ...(isElsewhere ? { cwd: cwd ?? '' } : {}),
        ...(Object.keys(judged).length === 0 ? {} : { env: judged }),
      },
    },
    looks: Object.fromEntries(wanted.filter(isLook)),
  }
}
