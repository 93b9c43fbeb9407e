import type { PlantedFault } from './planted-faults.ts'

const words = 'test/core/model/chat/speaker.test.ts'
const model = 'test/agents/speaker.test.ts'
const acp = 'test/agents/acp/speaker.test.ts'

/** How somebody in a group could pass for its owner. */
export const speakerFaults: readonly PlantedFault[] = [
  {
    test: words,
    what: 'a text: only its first line is marked',
    file: 'src/shared/chat/speaker.ts',
    find: "${text.replace(lineEnd, '\\n> ')}",
    replace: '${text}',
  },
  {
    test: words,
    what: 'a name: a name can close the brackets around it',
    file: 'src/core/model/chat/speaker.ts',
    find: ".replace(brackets, '')",
    replace: '',
  },
  {
    test: words,
    what: 'a forward: a text that an owner forwards counts as the owner’s own text',
    file: 'src/core/model/chat/speaker.ts',
    find: 'isOwner && ownOrigins.includes(origin)',
    replace: "isOwner && origin !== 'self'",
  },
  {
    test: model,
    what: 'a message: the model is not told who sent it',
    file: 'src/agents/hear.ts',
    find: 'content: message, speaker })',
    replace: 'content: message })',
  },
  {
    test: model,
    what: 'a rewrite: a message whose speaker a hook removed does not look like a group message',
    file: 'src/server/model-proxy/model-question.ts',
    find: 'isGroup || speaker !== undefined ?',
    replace: 'isGroup && speaker !== undefined ?',
  },
  {
    test: model,
    what: 'a summary: it is made from messages without their senders',
    file: 'src/agents/session/compact.ts',
    find: "isGroup && role === 'user' ?",
    replace: "isGroup && role !== 'user' ?",
  },
  {
    test: acp,
    what: 'a prompt: an ACP agent is not told who sent it',
    file: 'src/agents/acp/rounds.ts',
    find: 'isPerson ? spokenInGroup(content, prompt.speaker) : content',
    replace: 'isPerson ? content : content',
  },
  {
    test: acp,
    what: 'a command: a member of a group can send a command to an ACP agent',
    file: 'src/agents/acp/rounds.ts',
    find: "plain.startsWith('/') && prompt.speaker?.is_owner !== false",
    replace: "plain.startsWith('/')",
  },
  {
    test: 'test/prompts/prompts.test.ts',
    what: 'a restart: a waiting message no longer counts as a group message',
    file: 'src/store/operations.ts',
    find: '...((inGroup ?? null) === null ? {} : { inGroup })',
    replace: '...(inGroup === undefined ? {} : {})',
  },
]
