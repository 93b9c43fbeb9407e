import { resolve } from 'node:path'
import type { CreateTerminalRequest } from '@agentclientprotocol/sdk'
import { type ReportedCall, commandLine } from './calls.ts'

/**
 * Variables that change only how a command's output looks, with their harmless values. Hooks are not asked
 * about them.
 */
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
  /** The call that hooks judge. */
  readonly call: ReportedCall
  /** Further variables for the command, which hooks do not judge. */
  readonly looks: Readonly<Record<string, string>>
}

/** Converts a requested terminal to a tool call in hookgate's terms. */
export const terminalCallOf = (
  { command, args, cwd, env }: CreateTerminalRequest,
  workspace: string,
): TerminalCall => {
  const line = commandLine(command, args)
  const isElsewhere = (cwd ?? undefined) !== undefined && resolve(cwd ?? '') !== resolve(workspace)
  // Kimi begins commands with a change to the folder that it is already in.
  const cdPrefix = `cd '${cwd ?? workspace}' && `
  const wanted = (env ?? []).map(({ name, value }) => [name, value] as const)
  const judged = Object.fromEntries(wanted.filter((each) => !isLook(each)))
  return {
    call: {
      name: 'bash',
      input: {
        command: line.startsWith(cdPrefix) ? line.slice(cdPrefix.length) : line,
        ...(isElsewhere ? { cwd: cwd ?? '' } : {}),
        ...(Object.keys(judged).length === 0 ? {} : { env: judged }),
      },
    },
    looks: Object.fromEntries(wanted.filter(isLook)),
  }
}
