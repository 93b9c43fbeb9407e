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
const may = 'may: block (the tool does not run), ask you, rewrite tool_input, add context'
/** What an approval would bind, as `if it fails: ${fails}` and the rest of the entry say it. */
const binds = (fails: string): readonly string[] => [
  'asked on: rm -r|-delete',
  'asked on tool: ^bash$',
  may,
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
const card = (status: string, fails: string, text: string): string => `k7f2q ${status}
  ./hooks/careful.sh
${binds(fails).join('\n')}
file: hooks/careful.sh ${facts(text, 12)}
${places}${quoted(text)}
fingerprint HASH`
const short = `k7f2q ✗ NOT approved
./hooks/careful.sh
asked before a tool runs, where its pattern fits
${may}
if it fails: goes on and tells you`
const receipt = (text: string): string => `✓ Approved: pre_tool_call
  ./hooks/careful.sh
  if it fails: blocks (your choice)
  sealed: hooks/careful.sh ${facts(text, 12)}`
/** The short card of the changed script. `lines`: what changed in it. */
const changed = (...lines: readonly string[]): string => `k7f2q changed since approval
./hooks/careful.sh
the approved version keeps running
Changed: 1 file.
${lines.join('\n')}
compare both versions on past events → /hooks try k7f2q
if it fails: goes on and tells you (blocks now, your choice)`
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
${mark} Commands that destroy or leak ask you first
${mark} A false “done” is refused`

/** What hookgate says, without its mark. */
export const says = {
  protect: `One tap protects you. It approves these hooks, which are part of hookgate:
${guards('✗')}
The tap turns hooks on, too, so these fire from the next event.`,
  protected: `You are protected:
${guards('✓')}`,
  list: 'Hooks are OFF. Nothing protects you yet.\n14 wait for you',
  announced: `A hook waits for you:\n${short}`,
  whole: card('✗ NOT approved  pre_tool_call', 'goes on and tells you', first),
  approved: `${receipt(first)}\nHooks are OFF → /hooks on`,
  on: `${receipt(first)}\nHooks are ON.\n1 hook live from the next event · 14 waiting → /hooks`,
  drifted: `A changed hook waits for you:\n${changed('│ -  *"rm -r"*) refuse ;;', '│ +  *"rm -rf /"*) refuse ;;')}`,
  driftedAgain: `A changed hook waits for you:\n${changed('│ +  *" -delete"*) refuse ;;')}`,
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
  stale: `Nothing was changed: the hook has changed since this card was shown.\n\n${changed('│ +  *" -delete"*) refuse ;;')}`,
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
  inForce: card('✓ approved  pre_tool_call', 'blocks (your choice)', better),
  revoked:
    'Revoked: pre_tool_call\n  ./hooks/careful.sh\nIt does not fire any longer. Programs that still ran were stopped.',
} as const

/** The buttons under a card, row by row. */
export const under = {
  protect: [['Protect me'], ['Details']],
  protected: [
    ['Show pending'],
    ['Details'],
    ['Let secrets leave'],
    ['Do not guard commands'],
    ['Do not check claims'],
  ],
  waiting: [['Details', 'Try'], ['Not now']],
  whole: [['Approve'], ['Approve and fail closed'], ['Try'], ['Shadow', 'Not now']],
  approved: [['Turn hooks on']],
  changed: [['Details', 'Diff', 'Try'], ['Not now']],
  diff: [['Approve and fail closed'], ['Approve'], ['Details', 'Try'], ['Not now']],
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
