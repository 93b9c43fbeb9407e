import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Program } from './program.ts'
import { agentHost, familyOf } from './rig.ts'

/**
 * What happens and what is read in the first hour with hookgate, on whatever a person holds in their hand.
 */

/** The hook that the agent prepares, by what it refuses. It has no line end, as the demo agent writes. */
const script = (...cases: readonly string[]): string => `#!/bin/sh
# Asks before anything is deleted for good.
step=$(cat)
refuse() {
  echo '{"decision": "block", "reason": "Deleting needs a person."}'
  exit 0
}
case "$step" in
${cases.map((one) => `  ${one}`).join('\n')}
esac`
const first = script('*"rm -r"*) refuse ;;')
/** It lets through what the first one refuses. */
const weaker = script('*"rm -rf /"*) refuse ;;')
const better = script('*"rm -r"*) refuse ;;', '*" -delete"*) refuse ;;')

/** What the person tells the agent, which does it with its own tools. */
export const asks = {
  write: `write hooks/careful.sh ${first}`,
  propose: `!chmod +x hooks/careful.sh; cat >> config/shell_hooks.yaml <<'END'
  - event: pre_tool_call
    matcher: {tool: "^bash$", pattern: "rm -r|-delete"}
    command: ./hooks/careful.sh
END`,
  weaken: `write hooks/careful.sh ${weaker}`,
  better: `write hooks/careful.sh ${better}`,
  make: '!mkdir -p old; touch old/letter.txt',
  remove: '!rm -r old',
  find: '!find old -delete',
  leak: 'say our seed phrase is: legal winner thank year wave sausage worth useful legal winner thank yellow',
} as const

export const wrote = (text: string): string =>
  `Wrote ${text.slice('write hooks/careful.sh '.length).length} bytes to hooks/careful.sh.`
export const redacted = 'our seed phrase is: [redacted: seed phrase]'
export const refused = 'I did not run bash.'
/** A notice of blocks. One of a burst comes some seconds after it. */
export const ofBlocks = / more steps of |Blocked: main’s call of bash/

const facts = (text: string, digits: number): string =>
  `${text.length} B · ${createHash('sha256').update(text).digest('hex').slice(0, digits)}`
const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `│ ${line}`)
    .join('\n')

/** Nothing that a test cannot know: handles, fingerprints and heads are all the same. */
export const plain = (text: string): string =>
  text
    .replace(/^[a-z0-9]{5} (?=[✗✓]|changed|gone)/gm, 'k7f2q ')
    .replace(/(\/hooks \w+) [a-z0-9]{5}$/gm, '$1 k7f2q')
    .replace(/(?<=fingerprint )[0-9a-f]{16}/g, 'HASH')
    .replace(/(?<=head )[0-9a-f]{12}/g, 'HEAD')
    .replaceAll(/\/\S+(?=\/\.hookgate\/hooks\/)/g, 'HOME')
    .replaceAll(/(?<=runs with: ).*/g, 'SHELL')

const places =
  'Hooks store lasting files in HOME/.hookgate/hooks/home (their HOME). ' +
  'Files that they write to /tmp are stored in HOME/.hookgate/hooks/tmp and last, too.\n'
/** What an approval would bind, as `if it fails: ${fails}` and the rest of the entry say it. */
const binds = (fails: string): readonly string[] => [
  'asked on: rm -r|-delete',
  'asked on tool: ^bash$',
  'may: block (the tool does not run), ask you, rewrite tool_input, add context',
  `if it fails: ${fails}`,
  ...(fails === 'goes on and tells you'
    ? [
        'if the agent makes it fail (time, load, memory, disk space, its own input): blocks (approved as “open” it would go on)',
      ]
    : []),
  'takes at most 20 s · priority 100',
  'runs with: SHELL',
  'from: config/shell_hooks.yaml',
]
/** `more`: what the whole card says of where hooks write. */
const card = (
  status: string,
  fails: string,
  text: string,
  shown: string,
  more = '',
): string => `k7f2q ${status}
  ./hooks/careful.sh
${binds(fails).join('\n')}
file: hooks/careful.sh ${facts(text, 12)}
${more}${shown}
fingerprint HASH`
const begins = (text: string): string => {
  const lines = text.split('\n')
  return `${quoted(lines.slice(0, 8).join('\n'))}\n  … ${lines.length - 8} more lines`
}
const receipt = (text: string): string => `✓ Approved: pre_tool_call
  ./hooks/careful.sh
${binds('blocks (your choice)')
  .map((line) => `  ${line}`)
  .join('\n')}
  sealed: hooks/careful.sh ${facts(text, 12)}`
const changed = (text: string): string =>
  card(
    'changed since approval  pre_tool_call\n  the approved version keeps running\n  compare both versions on past events → /hooks try k7f2q',
    'goes on and tells you (blocks now, your choice)',
    text,
    begins(text),
  )
const diff = (text: string, lines: string): string => `k7f2q changed since approval  pre_tool_call
  ./hooks/careful.sh
Approved → proposed now
Changed: 1 file.
hooks/careful.sh ${facts(first, 8)} → ${facts(text, 8)}
${lines}
│ @ no newline at the end
compare both versions on past events → /hooks try k7f2q
fingerprint HASH`

/** The guards of hookgate, as their card lists them. */
const guards = (mark: '✓' | '✗'): string => `${mark} Secrets do not leave
  Keys, passwords, tokens and seed phrases are taken out of what the agent sends.
${mark} Commands that destroy or leak ask you first
  You see what would happen, and the command waits for your yes. The worst are refused.
${mark} A false “done” is refused
  The agent cannot say that something is published when no tool of it did that.`
const details =
  'redact_secrets · guard_commands · check_publish\nAll that an approval binds → /hooks protect details'

/** What hookgate says, without its mark. */
export const says = {
  protect: `Protect yourself with one tap. It approves these hooks, which are part of hookgate:
${guards('✗')}
The tap turns hooks on, too, so these fire from the next event.
${details}`,
  protected: `You are protected:
${guards('✓')}
${details}`,
  list: /^Hooks are OFF · config\/shell_hooks\.yaml\nnone approved · 14 waiting\n\n(?:k7f2q ✗ NOT approved(?: {2}|\n {2})\w+\n {2}(?:\.\/\.hookgate-examples\/\w+\.\w+|builtin: \w+)\n {2}[A-Z][\w ]+\n(?: {2}not all is sealed → \/hooks show k7f2q\n)? {2}→ \/hooks approve k7f2q\n?){14}$/,
  announced: `A hook waits for you:\n${card('✗ NOT approved  pre_tool_call', 'goes on and tells you', first, begins(first))}`,
  whole: card('✗ NOT approved  pre_tool_call', 'goes on and tells you', first, quoted(first), places),
  approved: `${receipt(first)}\nHooks are OFF → /hooks on`,
  on: `${receipt(first)}\nHooks are ON.\n1 hook live from the next event · 14 waiting → /hooks`,
  drifted: `A changed hook waits for you:\n${changed(weaker)}`,
  driftedAgain: `A changed hook waits for you:\n${changed(better)}`,
  weakerDiff: diff(
    weaker,
    `│ @@ -6,5 +6,5 @@
│    exit 0
│  }
│  case "$step" in
│ -  *"rm -r"*) refuse ;;
│ +  *"rm -rf /"*) refuse ;;
│  esac`,
  ),
  stale: `Nothing was changed: the hook has changed since this card was shown.\n\n${changed(better)}`,
  betterDiff: diff(
    better,
    `│ @@ -7,4 +7,5 @@
│  }
│  case "$step" in
│    *"rm -r"*) refuse ;;
│ +  *" -delete"*) refuse ;;
│  esac`,
  ),
  approvedAgain: `${receipt(better)}\nIt fires from the next event.`,
  /** What the card of the approval says, which a person looks at before they end it. */
  inForce: card('✓ approved  pre_tool_call', 'blocks (your choice)', better, quoted(better), places),
  revoked:
    'Revoked: pre_tool_call\n  ./hooks/careful.sh\nIt does not fire any longer. Programs that still ran were stopped.',
} as const

/** The buttons under a card, row by row. */
export const under = {
  protect: [['Protect me'], ['More']],
  protected: [['More'], ['Let secrets leave'], ['Do not guard commands'], ['Do not check claims']],
  waiting: [['Approve'], ['Approve and fail closed'], ['Show', 'Try', 'Not now']],
  whole: [['Approve'], ['Approve and fail closed'], ['Try', 'Not now']],
  approved: [['Turn hooks on']],
  changed: [['Approve and fail closed'], ['Approve'], ['Show', 'Diff', 'Not now'], ['Try']],
  diff: [['Approve and fail closed'], ['Approve'], ['Show', 'Try', 'Not now']],
  inForce: [['Try'], ['Revoke']],
} as const

/** The console, without what differs from start to start. */
const consoleOf = ({ output, workspace }: Program): string =>
  output()
    .replace(/hookgate \d\S*/, 'hookgate')
    .replace(/http:\S+/g, 'LINK')
    .replace(/(\/pair) \S{8}/g, '$1 CODE')
    .replace(workspace, 'WORKSPACE')

const started = (more: string): string => `hookgate
Open LINK
  (valid once, for 5 minutes; Enter prints a new one)
Or pair a chat: /pair CODE
  The first person who uses one of them owns this gate. The agent starts then.
${more}Proposals: WORKSPACE/config/shell_hooks.yaml
Hooks are OFF: 0 approved, 14 waiting for you. Type /hooks in the chat.
`

/** Whether the agent runs. */
export const hasAgent = ({ child }: Program): boolean =>
  familyOf(child.pid).some(({ command }) => agentHost.test(command))

/** Whether the letter is there, which the person lets the agent make and remove. */
export const hasLetter = ({ workspace }: Program): boolean => existsSync(join(workspace, 'old/letter.txt'))

/** The console says how to own the gate, and no agent runs before somebody does. `more`: its further line. */
export const expectNoOwner = (program: Program, more = ''): void => {
  expect(consoleOf(program)).toContain(started(more))
  expect(hasAgent(program)).toBe(false)
}
