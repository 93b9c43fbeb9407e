import { randomUUID } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/**
 * The guard of the attacked gate. It blocks FORBIDDEN, asks about ASKME, and is slow when the payload says
 * so.
 */
export interface AttackedGuard {
  readonly script: string
  readonly content: string
  readonly hasPython: boolean
  /** The entry in the file of proposals. */
  readonly proposal: {
    readonly event: string
    readonly command: string
    readonly on_error: string
    readonly timeout: number
    readonly files: readonly string[]
  }
}

export const forbidden = 'FORBIDDEN'
/** A file that belongs to the guard. */
export const guardsFile = 'words.txt'

/**
 * Returns a line that no other guard has, so that the fingerprint and the process of this guard are unique.
 */
const ownMark = (): string => `# ${randomUUID()}`

const inPython = (): string => `#!/usr/bin/env python3
${ownMark()}
import json, subprocess, sys, time
payload = json.load(sys.stdin)
text = json.dumps(payload.get("tool_input"))
answer = {"decision": "block", "reason": "forbidden"} if "${forbidden}" in text else {"decision": "ask", "reason": "a person has to say"} if "ASKME" in text else {}
if " GIT" in text:
    subprocess.run(["git", "status"], capture_output=True)
if "SLOWLY" in text:
    time.sleep(10 if "FOREVER" in text else 1.5)
if answer:
    print(json.dumps(answer))
`

const inShell = (): string => `#!/bin/sh
${ownMark()}
text=$(cat)
case $text in *" GIT"*) git status >/dev/null 2>&1 ;; esac
case $text in *SLOWLY*FOREVER*) sleep 10 ;; *SLOWLY*) sleep 2 ;; esac
case $text in
  *${forbidden}*) echo '{"decision": "block", "reason": "forbidden"}' ;;
  *ASKME*) echo '{"decision": "ask", "reason": "a person has to say"}' ;;
esac
`

const canRun = (program: string, folders: readonly string[]): boolean =>
  folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

/**
 * Returns a guard in Python when hooks find Python, because most guards are written in it. Otherwise it is a
 * shell script.
 */
export const chooseGuard = (hookPath: readonly string[]): AttackedGuard => {
  const hasPython = canRun('python3', hookPath)
  const script = hasPython ? 'guard.py' : 'guard.sh'
  return {
    script,
    content: hasPython ? inPython() : inShell(),
    hasPython,
    proposal: {
      event: 'pre_tool_call',
      command: `./${script}`,
      on_error: 'block',
      timeout: 3,
      files: [guardsFile],
    },
  }
}

/** A built-in hook that takes secrets out of the results of tools. */
export const redacting = {
  event: 'transform_tool_result',
  type: 'builtin',
  command: 'redact_secrets',
  on_error: 'block',
}

/** A hook that holds the agent's messages with HOLDME in them until the owner answers. */
export const holding = {
  proposal: {
    event: 'on_outbound_message',
    command: './hold.sh',
    matcher: 'HOLDME',
    on_error: 'block',
  },
  script: 'hold.sh',
  content: '#!/bin/sh\necho \'{"decision": "ask", "reason": "a person has to say"}\'\n',
}
