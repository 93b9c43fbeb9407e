import type { ClientName } from '../../src/shared/gate/client.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/model/base/json.ts'

/**
 * Each client's own rules for what a hook printed at exit 0, written anew from what was seen of the real
 * ones: they are the judge of what we write. `refused`: the tool does not run, the prompt does not pass, the
 * agent goes on.
 */
export interface Done {
  readonly refused?: string
  readonly input?: Json
  /** The permission was given, where nothing more is asked. */
  readonly isAllowed?: boolean
  /** The client could not read it, and went on as if there were no hook. */
  readonly isBroken?: boolean
  readonly context?: string
  readonly isEnd?: boolean
}

const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const words = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
const some = (done: { readonly [K in keyof Done]: Done[K] | undefined }): Done =>
  Object.fromEntries(Object.entries(done).filter(([, value]) => value !== undefined && value !== false))

const onlyHas = (object: JsonObject, keys: readonly string[]): boolean =>
  Object.keys(object).every((key) => keys.includes(key))

const claude = (event: string, answer: JsonObject): Done => {
  const specific = answer['hookSpecificOutput']
  if (specific !== undefined && objectIn(specific)['hookEventName'] !== event) return { isBroken: true }
  const {
    permissionDecision: word,
    permissionDecisionReason,
    updatedInput,
    additionalContext,
    decision,
    displayContent,
  } = objectIn(specific)
  const shown = words(displayContent)
  if (shown?.startsWith('[withheld') === true) return { refused: shown }
  const { behavior, message } = objectIn(decision)
  const isEnd = answer['continue'] === false
  const isOld = answer['decision'] === 'block'
  const isDenied = word === 'deny' || behavior === 'deny' || (isOld && event !== 'PermissionRequest')
  return some({
    refused: isDenied
      ? (words(permissionDecisionReason) ?? words(message) ?? words(answer['reason']) ?? 'no reason')
      : undefined,
    isAllowed: word === 'allow' || behavior === 'allow',
    input: isDenied ? undefined : updatedInput,
    context: words(additionalContext),
    isEnd,
  })
}

/** One part of its schema at each event; nothing else may be there. */
const codexSpecific: Readonly<Record<string, readonly string[]>> = {
  PreToolUse: [
    'hookEventName',
    'permissionDecision',
    'permissionDecisionReason',
    'updatedInput',
    'additionalContext',
  ],
  PermissionRequest: ['hookEventName', 'decision'],
  PostToolUse: ['hookEventName', 'additionalContext', 'updatedMCPToolOutput'],
  UserPromptSubmit: ['hookEventName', 'additionalContext'],
  SessionStart: ['hookEventName', 'additionalContext'],
  SubagentStart: ['hookEventName', 'additionalContext'],
}
const codexDecides = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop', 'SubagentStop']

const isCodexBroken = (event: string, answer: JsonObject): boolean => {
  const {
    hookSpecificOutput,
    decision,
    reason,
    continue: goesOn,
    stopReason,
    suppressOutput,
    systemMessage,
  } = answer
  const isDecider = codexDecides.includes(event)
  if (
    !onlyHas(answer, [
      'continue',
      'stopReason',
      'suppressOutput',
      'systemMessage',
      ...(isDecider ? ['decision', 'reason'] : []),
      ...(codexSpecific[event] === undefined ? [] : ['hookSpecificOutput']),
    ])
  )
    return true
  if ([reason, stopReason, systemMessage].some((value) => value !== undefined && typeof value !== 'string'))
    return true
  if (suppressOutput !== undefined) return true
  if (decision !== undefined && (decision !== 'block' || words(reason) === undefined)) return true
  if (decision === undefined && reason !== undefined) return true
  if (
    ['PreToolUse', 'PermissionRequest'].includes(event) &&
    (goesOn !== undefined || stopReason !== undefined)
  )
    return true
  if (hookSpecificOutput === undefined) return false
  const specific = objectIn(hookSpecificOutput)
  if (specific['hookEventName'] !== event || !onlyHas(specific, codexSpecific[event] ?? [])) return true
  const { permissionDecision: word, permissionDecisionReason, updatedInput, decision: permission } = specific
  if (
    word === 'ask' ||
    (word === 'allow' && updatedInput === undefined) ||
    (word === 'deny' && words(permissionDecisionReason) === undefined)
  )
    return true
  if (updatedInput !== undefined && (word !== 'allow' || !isObject(updatedInput))) return true
  if (word === undefined && permissionDecisionReason !== undefined) return true
  return (
    permission !== undefined &&
    (!onlyHas(objectIn(permission), ['behavior', 'message']) ||
      (objectIn(permission)['behavior'] !== 'allow' && objectIn(permission)['behavior'] !== 'deny'))
  )
}

const codex = (event: string, answer: JsonObject): Done => {
  if (isCodexBroken(event, answer)) return { isBroken: true }
  const { isAllowed, ...done } = claude(event, answer)
  // Before a tool its word only says that there is a rewrite: it asks as it would without.
  return isAllowed === true && event !== 'PreToolUse' ? { ...done, isAllowed } : done
}

const isPascal = (event: string): boolean => /^[A-Z]/.test(event)

const copilot = (event: string, answer: JsonObject): Done => {
  const specific = isPascal(event) && event === 'PreToolUse' ? objectIn(answer['hookSpecificOutput']) : {}
  const isTool = event.toLowerCase() === 'pretooluse'
  const isPermission = event.toLowerCase() === 'permissionrequest'
  const word = isTool
    ? (answer['permissionDecision'] ?? specific['permissionDecision'])
    : isPermission
      ? answer['behavior']
      : answer['decision']
  const isDenied = word === 'deny' || word === 'ask' || (word === 'block' && !isTool && !isPermission)
  const transformed =
    event === 'userPromptTransformed' ? words(answer['modifiedTransformedPrompt']) : undefined
  return some({
    refused: isDenied
      ? (words(answer['permissionDecisionReason']) ??
        words(answer['message']) ??
        words(answer['reason']) ??
        'no reason')
      : transformed?.startsWith('This message was withheld') === true
        ? transformed
        : undefined,
    isAllowed: word === 'allow',
    input: isDenied ? undefined : (answer['modifiedArgs'] ?? specific['updatedInput']),
    context: words(answer['additionalContext']),
    isEnd: answer['interrupt'] === true,
  })
}

const gemini = (event: string, answer: JsonObject): Done => {
  const specific = objectIn(answer['hookSpecificOutput'])
  const isDenied = answer['decision'] === 'deny' || answer['decision'] === 'block'
  const isEnd = answer['continue'] === false
  const why = words(answer['stopReason']) ?? words(answer['reason']) ?? 'No reason provided'
  // An end before a tool also keeps it from running.
  const isKept = isDenied || (isEnd && event !== 'AfterAgent')
  return some({
    refused: isKept ? why : undefined,
    input: isKept || !isObject(specific['tool_input']) ? undefined : specific['tool_input'],
    context: words(specific['additionalContext']),
    isEnd,
  })
}

const kimi = (event: string, answer: JsonObject): Done => {
  const specific = objectIn(answer['hookSpecificOutput'])
  const isDenied =
    specific['permissionDecision'] === 'deny' && ['PreToolUse', 'UserPromptSubmit', 'Stop'].includes(event)
  // Whatever is printed at a prompt and is no refusal is shown to the model.
  return some({
    refused: isDenied
      ? (words(specific['permissionDecisionReason']) ?? `Blocked by ${event} hook`)
      : undefined,
    context:
      !isDenied && event === 'UserPromptSubmit'
        ? (words(answer['message']) ?? JSON.stringify(answer))
        : undefined,
  })
}

const docker = (event: string, answer: JsonObject): Done => {
  const specific = objectIn(answer['hook_specific_output'])
  if (answer['hook_specific_output'] !== undefined && specific['hook_event_name'] !== event)
    return { isBroken: true }
  const isDenied = specific['permission_decision'] === 'deny' || answer['decision'] === 'block'
  return some({
    refused: isDenied
      ? (words(specific['permission_decision_reason']) ?? words(answer['reason']) ?? 'no reason')
      : undefined,
    isAllowed: specific['permission_decision'] === 'allow',
    input: isDenied ? undefined : specific['updated_input'],
    context: words(specific['additional_context']),
    isEnd: answer['continue'] === false,
  })
}

const cursor = (event: string, answer: JsonObject): Done => {
  const isDenied =
    answer['permission'] === 'deny' ||
    (event === 'beforeSubmitPrompt' && answer['continue'] === false) ||
    words(answer['followup_message']) !== undefined
  const why =
    words(answer['agent_message']) ?? words(answer['user_message']) ?? words(answer['followup_message'])
  return some({
    refused: isDenied ? (why ?? 'no reason') : undefined,
    isAllowed: answer['permission'] === 'allow',
    input: isDenied ? undefined : answer['updated_input'],
    context: words(answer['additional_context']),
  })
}

const opencode = (event: string, answer: JsonObject): Done => {
  const text = words(answer['text'])
  return some({
    refused:
      words(answer['deny']) ??
      words(answer['prompt']) ??
      (event === 'text.complete' && text?.startsWith('[withheld') === true ? text : undefined),
    input: answer['args'],
    context: words(answer['context']),
  })
}

const agentHooks = (_event: string, answer: JsonObject): Done =>
  some({
    refused: answer['decision'] === 'deny' ? (words(answer['reason']) ?? 'no reason') : undefined,
    isAllowed: answer['decision'] === 'allow',
    input: answer['modified_input'],
    context: words(answer['additional_context']),
  })

const verdictKeys = ['decision', 'reason', 'message', 'warnings', 'approval', 'transform']

/** What an agent makes of a verdict by Agent Hooks 0.1, sections 5 and 6. It takes any flaw for a deny. */
const verdictOf = (verdict: Json | undefined): Done => {
  const { decision, reason, message, warnings = [], approval, transform } = objectIn(verdict)
  const isWhole =
    onlyHas(objectIn(verdict), verdictKeys) &&
    (approval === undefined || (decision === 'deny' && isObject(approval))) &&
    (decision === 'transform') === isObject(transform ?? null) &&
    words(reason)?.startsWith('host_error:') !== true &&
    Array.isArray(warnings) &&
    warnings.every((one) => isObject(one) && onlyHas(one, ['reason', 'message']))
  if (!isWhole || !['allow', 'deny', 'transform'].some((word) => word === decision)) return { isBroken: true }
  return some({
    refused: decision === 'deny' ? (words(message) ?? 'no reason') : undefined,
    input: decision === 'transform' ? objectIn(transform)['value'] : undefined,
  })
}

/** An approval is answered by a resolution, as its section 9 has it. */
const resolutionOf = (answer: JsonObject): Done => {
  const { outcome, verdict } = answer
  if (!onlyHas(answer, ['outcome', 'context_identity', 'verdict']) || !('context_identity' in answer))
    return { isBroken: true }
  if (outcome === 'unresolved') return verdict === undefined ? {} : { isBroken: true }
  const { refused, isBroken } = verdictOf(verdict)
  if (isBroken === true || (outcome === 'reject') !== (refused !== undefined)) return { isBroken: true }
  return outcome === 'approve' ? { isAllowed: true } : some({ refused })
}

const responsibleAi = (event: string, answer: JsonObject): Done =>
  event === 'approval_request' ? resolutionOf(answer) : verdictOf(answer)

const rules: Readonly<Record<ClientName, (event: string, answer: JsonObject) => Done>> = {
  'claude-code': claude,
  codex,
  copilot,
  gemini,
  kimi,
  'docker-agent': docker,
  cursor,
  opencode,
  'agent-hooks': agentHooks,
  'responsibleai-agent-hooks': responsibleAi,
}

/** With `failClosed`, Cursor takes silence for a fault and refuses; the others go on. */
export const heardBy = (client: ClientName, event: string, answer: JsonObject | undefined): Done =>
  answer === undefined ? {} : rules[client](event, JSON.parse(JSON.stringify(answer)) as JsonObject)
