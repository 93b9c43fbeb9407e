const noHook =
  'Where no approved hook is in force, hookgate has nothing to say against a step. An owner sees the list of hooks and the switch.'
const noProfile =
  'hookgate asks hooks one after another, each about the step as it stands, and again after a change. It has none of the profiles of the specification.'

const unnamed = (point: string): string => `the verdict at ${point} does not say host_error:context_invalid`
const reserved =
  'The number is refused, as the vector wants it. The reason host_error:… is reserved for the agent, so the gate says in words what is wrong.'

/** The vectors that come out differently here: exactly how, and why. */
export const ours: Readonly<Record<string, { readonly differs: readonly string[]; readonly why: string }>> = {
  'AH-CTK-061': {
    differs: ['the run: completed, not blocked', 'the output: "UNREACHED", not null'],
    why: noHook,
  },
  'AH-CTK-084': {
    differs: [
      'the decision at pre_tool_call: "deny", not "transform"',
      'tools ran: [], not [{"name":"wire_transfer","args":{"url":"clean"}}]',
    ],
    why: `${noProfile} The second hook sees the change of the first and refuses it.`,
  },
  'AH-CTK-085': {
    differs: ['the verdict at pre_tool_call does not say host_error:transform_conflict'],
    why: `${noProfile} Two hooks that do not agree on a change are told as "unsettled", and the step is refused.`,
  },
  'AH-CTK-086': {
    differs: [
      'the decision at pre_tool_call: "deny", not "transform"',
      'resolved by nothing, not "approval"',
      'tools ran: [], not [{"name":"wire_transfer","args":{"url":"arbitrated"}}]',
    ],
    why: `${noProfile} Hooks that do not agree refuse the step. Nobody is asked which of them is right.`,
  },
  'AH-CTK-087': {
    differs: [
      'the decision at pre_tool_call: "transform", not "deny"',
      'the verdict at pre_tool_call does not say host_error:composition_disagreement',
      'wire_transfer ran',
    ],
    why: `${noProfile} A change by one hook to which the others do not object is done.`,
  },
  'AH-CTK-088': {
    differs: [
      'the decision at pre_tool_call: "deny", not "allow"',
      'resolved by nothing, not "approval"',
      'tools ran: [], not [{"name":"wire_transfer","args":{"amount":5}}]',
    ],
    why: `${noProfile} A plain deny refuses the step, whatever other hooks say. Nobody is asked about it.`,
  },
  'AH-CTK-090': { differs: [unnamed('post_model_call')], why: reserved },
  'AH-CTK-091': { differs: [unnamed('post_model_call')], why: reserved },
  'AH-CTK-100': {
    differs: ['the decision at post_tool_call: "transform", not "deny"'],
    why: 'A result cannot be refused here. Its text is replaced by the reason, so the model gets the reason and not the result, as the vector wants it.',
  },
  'AH-CTK-101': {
    differs: [
      'the decision at pre_tool_call: "allow", not "deny"',
      'the verdict at pre_tool_call does not say host_error:no_interceptor',
    ],
    why: noHook,
  },
  'AH-CTK-103': {
    differs: [
      'the verdict at pre_tool_call does not say host_error:transform_invalid',
      'resolved by "rejection", not "approval"',
    ],
    why: 'A resolver cannot change the step here. Its approval with a transform is no approval, so the step is refused as unresolved.',
  },
}

const pieces =
  'It is for agents that judge an answer in pieces (incremental_output). hookgate judges whole answers.'

/** The vectors that do not run here, and why. */
export const left: Readonly<Record<string, string>> = {
  'AH-CTK-096':
    'It is about a provider of identities that fails. hookgate makes no identities: it gives that of the agent back.',
  'AH-CTK-110': pieces,
  'AH-CTK-111': pieces,
  'AH-CTK-112': pieces,
  'AH-CTK-113': pieces,
}
