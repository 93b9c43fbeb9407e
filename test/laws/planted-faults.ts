/** One wrong line. The test that holds against it must turn red when it is planted. */
export interface PlantedFault {
  /** The law of the design that it breaks; its test is found by the number. */
  readonly law?: number
  /** Else: the test file, from the tree's root, of which any test may catch it. */
  readonly test?: string
  readonly what: string
  readonly file: string
  readonly find: string
  readonly replace: string
}

const conformance = 'test/conformance/conformance.test.ts'

export const plantedFaults: readonly PlantedFault[] = [
  {
    law: 1,
    what: 'a second line of src sends by itself',
    file: 'src/inbox/prompts.ts',
    find: 'interface AgentQueue {',
    replace: 'export const stray = (channel: { deliver(what: unknown): unknown }): unknown => channel.deliver({})\n\ninterface AgentQueue {',
  },
  {
    law: 2,
    what: 'the text as the agent wrote it is sent, not the text as it was judged',
    file: 'src/dispatcher/push.ts',
    find: "judged: { kind: 'leaves', text: clean, revision }",
    replace: "judged: { kind: 'leaves', text: push.text, revision }",
  },
  {
    law: 3,
    what: 'a full-width slash does not count as one',
    file: 'src/commands/parse.ts',
    find: 'const commandLine = /^[/／](',
    replace: 'const commandLine = /^[/](',
  },
  {
    law: 4,
    what: 'how a message came is not looked at',
    file: 'src/gatekeeper/provenance.ts',
    find: "if (message.origin !== 'plain') return",
    replace: "if (message.origin === 'self') return",
  },
  {
    law: 5,
    what: "the workspace's file runs in place of the sealed one",
    file: 'src/gatekeeper/arming.ts',
    find: 'path.join(seals, standing.fingerprint, placeInSeal(name))',
    replace: 'path.resolve(workspace, name)',
  },
  {
    law: 6,
    what: 'whatever is no block counts as consent',
    file: 'src/hooks/merge.ts',
    find: "isConsent: standings.some(({ answer }) => answer?.kind === 'allow')",
    replace: "isConsent: standings.some(({ answer }) => answer?.kind !== 'block')",
  },
  {
    law: 7,
    what: 'lockdown lets gated steps pass',
    file: 'src/dispatcher/fire.ts',
    find: "return canBlock ? { ...base, verdict: 'block'",
    replace: "return canBlock && base.isConsent ? { ...base, verdict: 'block'",
  },
  {
    law: 8,
    what: 'a notice waits for hooks as long as a push does',
    file: 'src/dispatcher/notify.ts',
    find: 'export const noticeDeadlineMs = 3000',
    replace: 'export const noticeDeadlineMs = 60_000',
  },
  {
    law: 9,
    what: 'only what a hook was asked about is recorded',
    file: 'src/dispatcher/fire.ts',
    find: "if (hooks.length === 0 && verdict.verdict === 'allow') return",
    replace: 'if (!hooks.some(({ fired }) => fired)) return',
  },
  {
    law: 10,
    what: 'a pattern may run as long as it likes',
    file: 'src/hooks/backtracking.ts',
    find: 'limitMs = 100',
    replace: 'limitMs = 100_000',
  },
  {
    test: conformance,
    what: "hookgate's own hooks: one that failed has no opinion",
    file: 'src/dialects/native.ts',
    find: 'return flaw === undefined ? read : withFault(read, flaw)',
    replace: 'return read',
  },
  {
    test: conformance,
    what: 'Claude Code: exit 2 blocks nothing',
    file: 'src/dialects/claude-code-answer.ts',
    find: "if (ended.kind === 'block' || isExitTwo) {",
    replace: "if (ended.kind === 'block') {",
  },
  {
    test: conformance,
    what: 'docker-agent: a stop can be refused',
    file: 'src/dialects/docker-agent-decode.ts',
    find: 'if (native.isGate === true) return ending(reason, answer)',
    replace: "if (native.isGate === true || native.name === 'stop') return ending(reason, answer)",
  },
  {
    test: conformance,
    what: 'HOOK.md: text on stdout passes for no opinion',
    file: 'src/dialects/agent-hooks-decode.ts',
    find: "return output.stdout.trim() === '' ? undefined : notJson(output.stdout)",
    replace: 'return undefined',
  },
  {
    test: conformance,
    what: 'Copilot: exit 2 does not refuse a tool',
    file: 'src/dialects/copilot-decode.ts',
    find: "event === 'preToolUse' || event === 'permissionRequest'",
    replace: "event === 'permissionRequest'",
  },
  {
    test: conformance,
    what: "every system: a refusal in another's words is not heard",
    file: 'src/dialects/refusal.ts',
    find: "const refusal = heard.findLast(({ kind }) => kind === 'block') ?? heard.at(-1)",
    replace: 'const refusal = heard.slice(heard.length).at(-1)',
  },
  {
    test: 'test/separation/sandbox.test.ts',
    what: "the sandbox: a folder above the gate's own can be moved away",
    file: 'src/separation/mounts.ts',
    find: "(kind === 'empty' || (kind === 'write' && canChange(dirname(folder))))",
    replace: "kind === 'bare'",
  },
  {
    test: 'test/separation/sandbox.test.ts',
    what: "the sandbox: the agent writes the user's home",
    file: 'src/separation/mounts.ts',
    find: "put(guest === 'hooks' ? 'bare' : 'empty', hidden)",
    replace: "put('write', hidden)",
  },
  {
    test: 'test/separation/hooks.test.ts',
    what: 'the sandbox: hooks may write their seals',
    file: 'src/separation/mounts.ts',
    find: "mounts.set(join(own, relative(home, place)), 'read')",
    replace: "mounts.set(join(own, relative(home, place)), 'write')",
  },
  {
    test: 'test/separation/users.test.ts',
    what: 'three users: everybody may look into the seals',
    file: 'src/separation/permissions.ts',
    find: "['seal', 0o750]",
    replace: "['seal', 0o755]",
  },
  {
    test: 'test/separation/users.test.ts',
    what: 'three users: a proposal reads what lies in a folder that is closed to the agent',
    file: 'src/separation/reading.ts',
    find: ' && canEnter(reader, dirname(real))',
    replace: '',
  },
  {
    test: 'test/gatekeeper/ledger-damage.test.ts',
    what: 'the ledger: lines that an owner was told of may be missing',
    file: 'src/gatekeeper/ledger-read.ts',
    find: "'the file is gone or empty' : missing(found, kept))",
    replace: "'the file is gone or empty' : undefined)",
  },
  {
    test: 'test/gatekeeper/anchoring.test.ts',
    what: 'the anchor: a ledger that was put back passes',
    file: 'src/gatekeeper/gate.ts',
    find: "if (is === 'other') doubt(",
    replace: "if (is === 'same' && heads.length === 0) doubt(",
  },
  {
    test: 'test/gatekeeper/provenance.test.ts',
    what: 'the message: a command counts for hours',
    file: 'src/gatekeeper/provenance.ts',
    find: 'if (ageMs > maxAgeMs) {',
    replace: 'if (ageMs > 100 * maxAgeMs) {',
  },
  {
    test: 'test/gatekeeper/claim.test.ts',
    what: 'the claim: an agent runs before somebody owns the gate',
    file: 'src/gatekeeper/claim.ts',
    find: 'if (wasClaimed) start(undefined)',
    replace: 'if (wasClaimed || waiting.size === 0) start(undefined)',
  },
  {
    test: 'test/gatekeeper/cards.test.ts',
    what: "the card: its button counts in another owner's hands",
    file: 'src/gatekeeper/cards.ts',
    find: 'if (card.owner !== owner || card.chat !== chat) return',
    replace: 'if (card.owner !== owner && card.chat !== chat) return',
  },
  {
    test: 'test/commands/press.test.ts',
    what: 'the card: it answers for more than it showed',
    file: 'src/commands/press.ts',
    find: 'return row.proposed === fingerprint && isWaiting(row)',
    replace: 'return isWaiting(row)',
  },
  {
    test: 'test/gatekeeper/rearm.test.ts',
    what: 'the switch: a clock that is set back keeps it off',
    file: 'src/gatekeeper/rearm.ts',
    find: 'Math.max(0, Math.min(forMs, sinceMs + forMs - nowMs))',
    replace: 'Math.max(0, sinceMs + forMs - nowMs)',
  },
  {
    test: 'test/hooks/builtins/redact/find.test.ts',
    what: 'redact_secrets: a text is read once only, as it is written',
    file: 'src/hooks/builtins/redact/fold.ts',
    find: 'let folded = foldOnce(text, depth)',
    replace: 'let folded = foldOnce(text.slice(0, 0), depth)',
  },
  {
    test: 'test/hooks/builtins/redact/find.test.ts',
    what: 'redact_secrets: nothing is decoded',
    file: 'src/hooks/builtins/redact/find.ts',
    find: 'const maxDecodings = 3',
    replace: 'const maxDecodings = 0',
  },
  {
    test: 'test/hooks/builtins/redact/find.test.ts',
    what: 'redact_secrets: the place of what was read is taken for the place of what was written',
    file: 'src/hooks/builtins/redact/reading.ts',
    find: 'return { start: first, end: last, kind }',
    replace: 'return { start, end, kind }',
  },
  {
    test: 'test/hooks/builtins/redact/across.test.ts',
    what: 'redact_secrets: what was redacted before hides that its first part has left',
    file: 'src/hooks/builtins/redact/across.ts',
    find: "text.replaceAll(mark, '')",
    replace: 'text',
  },
]
