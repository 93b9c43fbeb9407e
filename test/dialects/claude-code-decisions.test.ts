import { describe } from 'vitest'
import {
  abstain,
  block,
  ended,
  fault,
  foreign,
  inner,
  misplaced,
  noted,
  permission,
  pre,
  unbound,
  unused,
  testEach,
  type Case,
} from './claude-code-rig.ts'
import { inOtherWords } from './speaking.ts'

const cases: readonly Case[] = [
  // Nothing to say.
  ['nothing', 'PreToolUse', '', abstain],
  ['an empty object', 'PreToolUse', '{}', abstain],
  ['nothing, with a log on stderr', 'PreToolUse', '', abstain, { stderr: 'fine' }],
  ['suppressOutput and continue true', 'PreToolUse', { continue: true, suppressOutput: true }, abstain],
  ['text on a tool event is a log', 'PreToolUse', 'checked 3 rules', abstain],
  ['text on Stop is a log', 'Stop', 'bye', abstain],
  ['a list is text', 'PreToolUse', '[1]', abstain],

  // Decisions.
  [
    'deny',
    'PreToolUse',
    pre({ permissionDecision: 'deny', permissionDecisionReason: 'no keys' }),
    block('no keys'),
  ],
  ['deny without a reason', 'PreToolUse', pre({ permissionDecision: 'deny' }), block()],
  [
    'deny with an empty reason',
    'PreToolUse',
    pre({ permissionDecision: 'deny', permissionDecisionReason: '  ' }),
    block(),
  ],
  [
    'allow',
    'PreToolUse',
    pre({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }),
    { kind: 'allow', reason: 'fine', notes: [] },
  ],
  [
    'ask',
    'PreToolUse',
    pre({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
    { kind: 'ask', reason: 'sure?', notes: [] },
  ],
  [
    'ask without a reason',
    'PreToolUse',
    pre({ permissionDecision: 'ask' }),
    { kind: 'ask', reason: 'the hook asks the person', notes: [] },
  ],
  [
    'defer',
    'PreToolUse',
    pre({ permissionDecision: 'defer', permissionDecisionReason: 'later' }),
    { kind: 'ask', reason: 'later', notes: ['It defers the call; here the person in the chat is asked.'] },
  ],
  ['block, as it once was', 'PreToolUse', { decision: 'block', reason: 'no' }, block('no')],
  ['approve, as it once was', 'PreToolUse', { decision: 'approve' }, { kind: 'allow', notes: [] }],
  [
    'approve beside deny',
    'PreToolUse',
    {
      decision: 'approve',
      reason: 'fine',
      ...pre({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    },
    block('no'),
  ],
  [
    'block beside allow keeps the reason of the block',
    'PreToolUse',
    {
      decision: 'block',
      reason: 'no',
      ...pre({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }),
    },
    block('no'),
  ],
  [
    'deny without an event name',
    'PreToolUse',
    { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } },
    block('no', foreign),
  ],
  [
    'deny under another event name',
    'PreToolUse',
    inner('PostToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    block('no', foreign),
  ],
  [
    'a flat deny, as Copilot has it',
    'PreToolUse',
    { permissionDecision: 'deny', permissionDecisionReason: 'no' },
    block('no', inOtherWords('permissionDecision', 'claude-code')),
  ],
  [
    'a flat allow is none',
    'PreToolUse',
    { permissionDecision: 'allow' },
    noted(misplaced('permissionDecision')),
  ],
  [
    'a deny in snake case',
    'PreToolUse',
    { hook_specific_output: { permission_decision: 'deny', permission_decision_reason: 'no' } },
    block('no', inOtherWords('hook_specific_output.permission_decision', 'claude-code')),
  ],
  [
    'an allow in snake case is none',
    'PreToolUse',
    { hook_specific_output: { permission_decision: 'allow' } },
    noted(
      'Its answer has the unknown field "hook_specific_output", which has no effect; did it mean "hookSpecificOutput"?',
    ),
  ],
  [
    'a deny beside a suppressOutput and an unknown field',
    'PreToolUse',
    { suppressOutput: true, zzz: 1, ...pre({ permissionDecision: 'deny', permissionDecisionReason: 'no' }) },
    block('no', 'Its answer has the unknown field "zzz", which has no effect.'),
  ],
  [
    'an unknown word',
    'PreToolUse',
    pre({ permissionDecision: 'alow' }),
    fault('output', 'The "decision" of its answer has to be block, allow or ask, and is "alow" (string).'),
  ],
  [
    'a deny beside an unknown word',
    'PreToolUse',
    { decision: 'maybe', ...pre({ permissionDecision: 'deny' }) },
    block(),
  ],
  [
    'hookSpecificOutput as text',
    'PreToolUse',
    { hookSpecificOutput: 'deny' },
    fault('output', 'The "hookSpecificOutput" of its answer has to be an object, and is "deny" (string).'),
  ],
  ['a prompt hook that is content', 'PreToolUse', { ok: true }, abstain],
  ['a prompt hook that is not', 'PreToolUse', { ok: false, reason: 'no' }, block('no')],
  [
    'a prompt hook that finds a stop impossible to satisfy',
    'Stop',
    { ok: false, reason: 'never', impossible: true },
    { kind: 'abstain', reason: 'never', notes: [] },
  ],
  ['a prompt hook that refuses a stop', 'Stop', { ok: false, reason: 'tests fail' }, block('tests fail')],

  // Ending the turn.
  ['continue false', 'PreToolUse', { continue: false, stopReason: 'enough' }, ended('enough')],
  [
    'continue false beside allow',
    'PreToolUse',
    { continue: false, ...pre({ permissionDecision: 'allow' }) },
    ended('blocked by hook'),
  ],
  [
    'continue false beside deny',
    'PreToolUse',
    {
      continue: false,
      stopReason: 'enough',
      ...pre({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    },
    ended('no', 'enough'),
  ],
  [
    'continue false on Stop lets it stop',
    'Stop',
    { continue: false, stopReason: 'enough' },
    { ...noted('enough'), stopsTurn: true },
  ],
  [
    'continue false on Stop wins over its block',
    'Stop',
    { continue: false, decision: 'block', reason: 'go on' },
    { kind: 'abstain', reason: 'go on', notes: [], stopsTurn: true },
  ],
  ['continue false on SubagentStop', 'SubagentStop', { continue: false }, { ...abstain, stopsTurn: true }],
  [
    'continue false after a tool',
    'PostToolUse',
    { continue: false, stopReason: 'enough' },
    { ...noted('enough'), stopsTurn: true },
  ],
  [
    'continue false where no turn can end',
    'Notification',
    { continue: false },
    noted('It wanted the agent to stop, but Notification cannot do that here; the step went on.'),
  ],
  [
    'continue as text',
    'PreToolUse',
    { continue: 'false' },
    fault('output', 'The "continue" of its answer has to be true or false, and is "false" (string).'),
  ],

  // PermissionRequest.
  ['a permission', 'PermissionRequest', permission({ behavior: 'allow' }), { kind: 'allow', notes: [] }],
  ['a refused permission', 'PermissionRequest', permission({ behavior: 'deny', message: 'no' }), block('no')],
  [
    'a refused permission that ends the turn',
    'PermissionRequest',
    permission({ behavior: 'deny', message: 'no', interrupt: true }),
    ended('no'),
  ],
  [
    'a permission for other arguments is none for these',
    'PermissionRequest',
    permission({ behavior: 'allow', updatedInput: { command: 'ls' } }),
    noted(
      'It permits the call only with other arguments, which PermissionRequest cannot change here; the person decides.',
    ),
  ],
  [
    'a permission for the same arguments',
    'PermissionRequest',
    permission({ behavior: 'allow', updatedInput: { command: 'ls -la' } }),
    { kind: 'allow', notes: [] },
  ],
  [
    'a permission with lasting rules',
    'PermissionRequest',
    permission({ behavior: 'allow', updatedPermissions: [] }),
    { kind: 'allow', notes: [unused('hookSpecificOutput.decision.updatedPermissions')] },
  ],
  [
    'a decision without behavior',
    'PermissionRequest',
    permission({ kind: 'deny' }),
    fault(
      'output',
      'The "decision" of its answer has to be block, allow or ask, and is {"kind":"deny"} (object).',
    ),
  ],
  [
    'a question about a question',
    'PermissionRequest',
    inner('PermissionRequest', { permissionDecision: 'ask' }),
    abstain,
  ],
  [
    'a flat refusal, as Copilot has it',
    'PermissionRequest',
    { behavior: 'deny', reason: 'no' },
    block('no', inOtherWords('behavior', 'claude-code')),
  ],

  // Blocks elsewhere.
  ['a blocked prompt', 'UserPromptSubmit', { decision: 'block', reason: 'no' }, block('no')],
  ['a blocked compaction', 'PreCompact', { decision: 'block', reason: 'not now' }, block('not now')],
  [
    'a block after a tool is told to the model',
    'PostToolUse',
    { decision: 'block', reason: 'lint failed' },
    { ...abstain, context: 'lint failed' },
  ],
  [
    'its reason stands beside further context',
    'PostToolUse',
    { decision: 'block', reason: 'lint failed', ...inner('PostToolUse', { additionalContext: 'see log' }) },
    { ...abstain, context: 'see log\nlint failed' },
  ],
  [
    'a block after a tool without a reason',
    'PostToolUse',
    { decision: 'block' },
    noted(unbound('PostToolUse')),
  ],
  [
    'a block on SessionEnd',
    'SessionEnd',
    { decision: 'block', reason: 'stay' },
    noted(unbound('SessionEnd', 'stay')),
  ],
  [
    'a block on SubagentStart, which is a gate here but not there',
    'SubagentStart',
    { decision: 'block', reason: 'no' },
    noted(unbound('SubagentStart', 'no')),
  ],
  [
    'a block on MessageDisplay, likewise',
    'MessageDisplay',
    { decision: 'block', reason: 'no' },
    noted(unbound('MessageDisplay', 'no')),
  ],
  [
    'a question on MessageDisplay',
    'MessageDisplay',
    inner('MessageDisplay', { permissionDecision: 'ask' }),
    noted('It wanted to ask the person, but MessageDisplay cannot wait for an answer; the step went on.'),
  ],
]

describe('what a Claude Code hook decides', () => testEach(cases))
