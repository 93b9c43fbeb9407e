import { approvalFaults } from './planted-approval.ts'
import { backupFaults } from './planted-backup.ts'
import { edgeFaults } from './planted-edge.ts'
import { bridgeFaults } from './planted-bridge.ts'
import { budgetFaults } from './planted-budgets.ts'
import { fleetFaults } from './planted-fleet.ts'
import { gitFaults } from './planted-git.ts'
import { partFaults } from './planted-parts.ts'
import { pushFaults } from './planted-push.ts'
import { grantFaults } from './planted-grants.ts'
import { modelFaults } from './planted-model.ts'
import { redactFaults } from './planted-redact.ts'
import { separationFaults } from './planted-separation.ts'
import { speakerFaults } from './planted-speaker.ts'
import { feishuFaults } from './planted-feishu.ts'
import { webFaults } from './planted-web.ts'
import { threadFaults } from './planted-thread.ts'

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

/** The file with the test that holds against the fault. */
export const testFileOf = ({ test = 'test/laws/laws.test.ts' }: PlantedFault): string => test

const conformance = 'test/conformance/conformance.test.ts'

export const plantedFaults: readonly PlantedFault[] = [
  {
    law: 1,
    what: 'a second line of src sends messages',
    file: 'src/prompts/agent-queue.ts',
    find: 'export interface AgentQueue {',
    replace:
      'export const stray = (channel: { deliver(what: unknown): unknown }): unknown => channel.deliver({})\n\nexport interface AgentQueue {',
  },
  {
    law: 2,
    what: 'the text that the agent wrote is sent, not the text that was judged',
    file: 'src/core/dispatcher/pushes/judge.ts',
    find: 'const settled: Content = { ...content, text, parts',
    replace: 'const settled: Content = { ...content, text: content.text, parts',
  },
  {
    law: 3,
    what: 'a full-width slash does not count as a slash',
    file: 'src/core/commands/parse.ts',
    find: 'const commandLine = /^[/／](',
    replace: 'const commandLine = /^[/](',
  },
  {
    law: 4,
    what: 'the origin of a message is not checked',
    file: 'src/core/gatekeeper/owners/provenance.ts',
    find: "if (message.origin !== 'plain') return",
    replace: "if (message.origin === 'self') return",
  },
  {
    law: 5,
    what: 'the file in the workspace runs instead of the sealed file',
    file: 'src/core/gatekeeper/arming.ts',
    find: 'path.join(location.seals, fingerprint, pathInSeal(part.sealed))',
    replace: 'path.resolve(location.workspace, part.sealed)',
  },
  {
    law: 6,
    what: 'every answer except block counts as consent',
    file: 'src/core/hooks/settle/merge.ts',
    find: "isConsent: runs.some(({ answer }) => answer?.kind === 'allow')",
    replace: "isConsent: runs.some(({ answer }) => answer?.kind !== 'block')",
  },
  {
    law: 7,
    what: 'lockdown lets gated steps pass',
    file: 'src/core/dispatcher/fire.ts',
    find: "const canBlock = contractOf(payload.event).gate.includes('block')",
    replace: 'const canBlock = false',
  },
  {
    law: 8,
    what: 'a notice is not sent at all when hooks withhold a quote in it',
    file: 'src/core/dispatcher/notify/judge.ts',
    find: 'if (quoted === undefined) return [span]',
    replace:
      "if (quoted === undefined) return judged.some((one) => 'withheldBy' in one) ? verbatim('') : [span]",
  },
  {
    law: 9,
    what: 'only events for which a hook was called are recorded',
    file: 'src/core/dispatcher/fire.ts',
    find: 'if (silent !== undefined && (isKept || hooks.length + missed + shadows === 0)) return',
    replace: 'if (!hooks.some(({ fired }) => fired)) return',
  },
  {
    law: 10,
    what: 'a pattern may run without a time limit',
    file: 'src/handlers/observers/backtracking.ts',
    find: 'limitMs = 100',
    replace: 'limitMs = 100_000',
  },
  {
    law: 12,
    what: 'a guard whose shell failed lets the step pass',
    file: 'src/core/hooks/settle/settle.ts',
    find: "|| run.hook.entry.onError === 'block' || isAgents(run)",
    replace: "|| run.hook.entry.onError === 'block'",
  },
  {
    test: 'test/handlers/faults.test.ts',
    what: 'its time: a hook that exceeds its time limit lets the step pass',
    file: 'src/core/model/hooks/fault.ts',
    find: "timeout: { by: 'agent'",
    replace: "timeout: { by: 'hook'",
  },
  {
    test: 'test/handlers/host/run.test.ts',
    what: 'its time: an answer that the hook host reads too late counts as silence',
    file: 'src/handlers/host/run.ts',
    find: 'setImmediate(() => { if (chunksHeard === before) finish() })',
    replace: 'if (chunksHeard === before) finish()',
  },
  {
    test: 'test/handlers/faults.test.ts',
    what: "its exit code: a hook that crashed on the agent's input lets the step pass",
    file: 'src/dialects/reading/output.ts',
    find: "exitCode === 1 ? 'exit' : 'crash'",
    replace: "'exit'",
  },
  {
    test: 'test/dialects/native/native.test.ts',
    what: 'its words: a refusal that became invalid JSON by a quotation mark of the agent lets the step pass',
    file: 'src/dialects/reading/lines.ts',
    find: "isBroken ? 'garbled' : 'output'",
    replace: "'output'",
  },
  {
    test: 'test/dialects/native/native.test.ts',
    what: 'its names: when a JSON key occurs twice, the last one counts',
    file: 'src/core/model/base/json.ts',
    find: 'countNames(value) !== names',
    replace: 'names < 0',
  },
  {
    test: 'test/dialects/reading/refusal.integration.ts',
    what: 'its first line: text that the agent made a guard print makes the guard async',
    file: 'src/dialects/dialects.ts',
    find: 'contractOf(event).gate.length === 0 || end',
    replace: 'contractOf(event).gate.length >= 0 || end',
  },
  {
    test: 'test/handlers/faults.test.ts',
    what: 'its folder: a hook does not start when its working folder is closed',
    file: 'src/handlers/host/process.ts',
    find: 'ownFolder !== undefined && isClosed(cwd)',
    replace: "ownFolder === '' && isClosed(cwd)",
  },
  {
    test: 'test/core/gatekeeper/seal/checked-copy.test.ts',
    what: 'its bytes: the current file at a watched path runs, not the file that was checked',
    file: 'src/core/gatekeeper/arming.ts',
    find: 'if (paths.size === 0) return',
    replace: 'if (paths.size >= 0) return',
  },
  ...partFaults,
  {
    test: 'test/core/gatekeeper/seal/checked-copy.test.ts',
    what: 'its language: a file above the folder of seals decides how Node reads the sealed scripts',
    file: 'src/core/gatekeeper/home.ts',
    find: '    stopSearchAbove(seals)',
    replace: '    void stopSearchAbove',
  },
  {
    test: conformance,
    what: "hookgate's own hooks: a failed hook counts as without an opinion",
    file: 'src/dialects/native/native.ts',
    find: 'return conclude({ answer, flaw }, output)',
    replace: 'return conclude({ answer, flaw: undefined }, output)',
  },
  {
    test: conformance,
    what: 'Claude Code: exit 2 blocks nothing',
    file: 'src/dialects/claude-code/answer.ts',
    find: "if (ended.kind === 'block' || isExitTwo) {",
    replace: "if (ended.kind === 'block') {",
  },
  {
    test: conformance,
    what: 'docker-agent: a stop can be refused',
    file: 'src/dialects/docker-agent/answers.ts',
    find: 'lost: native.isGate !== true && {',
    replace: "lost: native.isGate !== true && native.name !== 'stop' && {",
  },
  {
    test: conformance,
    what: 'HOOK.md: text on stdout counts as no opinion',
    file: 'src/dialects/agent-hooks/agent-hooks.ts',
    find: "{ rule: 'An agent-hooks script exits 0 for an answer and 2 to block.' }",
    replace: "{ rule: '', takesText: true }",
  },
  {
    test: conformance,
    what: 'Copilot: exit 2 does not refuse a tool',
    file: 'src/dialects/copilot/answers.ts',
    find: "event === 'preToolUse' || event === 'permissionRequest'",
    replace: "event === 'permissionRequest'",
  },
  {
    test: conformance,
    what: 'every system: a refusal in the format of another system is ignored',
    file: 'src/dialects/reading/refusal.ts',
    find: "const refusal = refusals.findLast(({ kind }) => kind === 'block') ?? refusals.at(-1)",
    replace: 'const refusal = refusals.slice(refusals.length).at(-1)',
  },
  ...separationFaults,
  ...gitFaults,
  {
    test: 'test/core/gatekeeper/ledger-damage.property.ts',
    what: 'the ledger: lines that were reported to an owner may be missing',
    file: 'src/core/gatekeeper/ledger/read.ts',
    find: "'the file is missing or empty' : missing(found, storedHead)",
    replace: "'the file is missing or empty' : undefined",
  },
  {
    test: 'test/notices/anchoring.test.ts',
    what: 'the anchor: a ledger that was rolled back is accepted',
    file: 'src/core/gatekeeper/gate.ts',
    find: "if (comparison === 'other') enterLockdown(",
    replace: "if (comparison === 'same' && heads.length === 0) enterLockdown(",
  },
  {
    test: 'test/core/gatekeeper/owners/provenance.test.ts',
    what: 'the message: a command still counts after hours',
    file: 'src/core/gatekeeper/owners/provenance.ts',
    find: 'if (ageMs > maxAgeMs) {',
    replace: 'if (ageMs > 100 * maxAgeMs) {',
  },
  {
    test: 'test/core/gatekeeper/owners/claim.test.ts',
    what: 'the claim: an agent runs before the gate has an owner',
    file: 'src/core/gatekeeper/owners/claim.ts',
    find: 'if (wasClaimed) start(undefined)',
    replace: 'if (wasClaimed || waiting.size === 0) start(undefined)',
  },
  {
    test: 'test/core/gatekeeper/owners/cards.test.ts',
    what: 'the card: its button also works for another owner',
    file: 'src/core/gatekeeper/owners/cards.ts',
    find: 'if (card.owner !== owner || card.chat !== chat) return',
    replace: 'if (card.owner !== owner && card.chat !== chat) return',
  },
  ...approvalFaults,
  {
    test: 'test/core/gatekeeper/rearm.test.ts',
    what: 'the switch: a clock that is set back keeps the switch off',
    file: 'src/core/gatekeeper/rearm.ts',
    find: 'Math.max(0, Math.min(forMs, sinceMs + forMs - nowMs))',
    replace: 'Math.max(0, sinceMs + forMs - nowMs)',
  },
  {
    test: 'test/bots/telegram/tripwire/methods.integration.ts',
    what: 'Telegram: a forward counts as a type of push',
    file: 'bots/telegram/tripwire/methods.ts',
    find: "  pinChatMessage: 'minted',",
    replace: "  pinChatMessage: 'minted',\n  forwardMessage: 'minted',",
  },
  {
    test: 'test/bots/telegram/tripwire/tripwire.test.ts',
    what: 'Telegram: the answer to a button press may have a text',
    file: 'bots/telegram/tripwire/tripwire.ts',
    find: "hasOnly(payload, 'callback_query_id')",
    replace: "hasOnly(payload, 'callback_query_id', 'text')",
  },
  {
    test: 'test/bots/telegram/tripwire/ways-round.test.ts',
    what: 'Telegram: a ticket can be used several times',
    file: 'bots/telegram/tripwire/tripwire.ts',
    find: '    minted.delete(ticket)\n',
    replace: '',
  },
  {
    test: 'test/bots/telegram/tripwire/freeze-payload.test.ts',
    what: 'Telegram: a file is sent with its current bytes, not with the judged ones',
    file: 'bots/telegram/tripwire/freeze-payload.ts',
    find: 'new InputFile(new Uint8Array(bytes), name)',
    replace: 'new InputFile(bytes, name)',
  },
  {
    test: 'test/bots/telegram/tripwire/tripwire.property.ts',
    what: 'Telegram: a ticket is valid for every method',
    file: 'bots/telegram/tripwire/tripwire.ts',
    find: "if (methods[method] !== 'minted' || found?.method !== method) return undefined",
    replace: 'if (found === undefined) return undefined',
  },
  {
    test: 'test/bots/telegram/write/forms.property.ts',
    what: 'Telegram: the text beside a file is not judged',
    file: 'src/core/dispatcher/pushes/judge.ts',
    find: 'notification: text,',
    replace: "notification: files.length > 0 ? '' : text,",
  },
  {
    test: 'test/bots/telegram/write/entities.test.ts',
    what: 'Telegram: a mark of an agent removes the code formatting of a command',
    file: 'bots/telegram/write/entities.ts',
    find: 'cutBy(quote, partlyIn(quote, solid))',
    replace: '[quote]',
  },
  {
    test: 'test/bots/wechat/puppet-guard.test.ts',
    what: 'WeChat: a call inside a send is permitted to everybody',
    file: 'bots/wechat/methods.ts',
    find: 'const outward = /^_*(',
    replace: 'const outward = /^(',
  },
  {
    test: 'test/bots/wechat/puppet-guard.test.ts',
    what: 'WeChat: a send gives its permission to the listeners of the puppet',
    file: 'bots/wechat/puppet-guard.ts',
    find: "typeof value === 'function' && !open.has(name) ? (value as Method).bind(puppet) : value",
    replace: 'value',
  },
  {
    test: 'test/bots/wechat/puppet-guard.property.ts',
    what: 'WeChat: a method that writes counts as a method that reads',
    file: 'bots/wechat/methods.ts',
    find: "contactDescription: 'out'",
    replace: "contactDescription: 'read'",
  },
  ...feishuFaults,
  ...webFaults,
  {
    test: 'test/doctor/coverage/coverage.integration.ts',
    what: 'doctor: one method of Telegram is let through',
    file: 'bots/telegram/tripwire/tripwire.ts',
    find: 'if (judged !== undefined) return prev(method, judged as typeof payload, signal)',
    replace:
      "if (judged !== undefined || method === 'sendPoll') return prev(method, (judged ?? payload) as typeof payload, signal)",
  },
  {
    test: 'test/core/dispatcher/forms.test.ts',
    what: 'its parts: hooks see only the main text of a push',
    file: 'src/core/dispatcher/pushes/judge.ts',
    find: 'parts: parts.map(({ field, text }) => ({ field, text })),',
    replace: 'parts: [],',
  },
  {
    test: 'test/core/dispatcher/forms.test.ts',
    what: 'its files: a file is sent with the current bytes at its path, not with the judged ones',
    file: 'src/core/dispatcher/door/outgoing-message.ts',
    find: 'bytes === undefined || (text === undefined && hashOf(bytes) !== sha256)',
    replace: 'bytes === undefined',
  },
  {
    test: 'test/core/dispatcher/held.test.ts',
    what: "an owner's word: it counts for the current state, not for the state that the owner saw",
    file: 'src/core/dispatcher/door/hold.ts',
    find: 'consent !== undefined && heldKey(item, content) === consent',
    replace: 'consent !== undefined',
  },
  ...pushFaults,
  ...redactFaults,
  ...bridgeFaults,
  ...budgetFaults,
  ...modelFaults,
  ...speakerFaults,
  ...threadFaults,
  ...grantFaults,
  ...fleetFaults,
  ...backupFaults,
  ...edgeFaults,
]
