import type { Json, JsonObject } from '../../../src/core/model/base/json.ts'
import { MARK_TYPES, PUSH_TYPES } from '../../../src/core/model/chat/content.ts'
import { EVENT_NAMES, EVENTS } from '../../../src/core/model/events/event.ts'
import { maxEventBytes } from '../../../src/server/body.ts'
import { eventFields, maxAskMs, maxNameLength, minAskMs, type BodyField } from '../../../src/server/fields.ts'
import {
  maxFieldLength,
  maxFileBytes,
  maxItems,
  maxPushBytes,
  maxTypeLength,
  pushFields,
} from '../../../src/server/push-request.ts'

const schemaOf = ({ type, isName }: BodyField): JsonObject => ({
  type: type === 'list' ? 'array' : type,
  ...(isName === true ? { minLength: 1, maxLength: maxNameLength } : {}),
})

const objectOf = (fields: readonly BodyField[], more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { ...Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])), ...more },
  required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
})

const refTo = (kind: 'schemas' | 'parameters' | 'responses', name: string): JsonObject => ({
  $ref: `#/components/${kind}/${name}`,
})
const ref = (name: string): JsonObject => refTo('schemas', name)
const json = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } })

const refusals: Readonly<Record<number, string>> = {
  400: 'A field, a header or the body is wrong. The message says which one, and what was expected.',
  403: 'The chat is not one of this agent.',
  404: 'There is no such event, path, file or message.',
  409: 'The event was caused by a chain of hooks that is too long.',
  413: 'The body is too large.',
  429: 'Too much of this agent waits already. Ask again later.',
  503: 'The gate is stopping, or it cannot do this now.',
}

/** The answers of one operation. `codes`: its refusals. */
const answers = (ok: JsonObject, ...codes: readonly number[]): JsonObject => ({
  200: ok,
  ...Object.fromEntries(codes.map((code) => [code, refTo('responses', String(code))])),
})

const responses = Object.fromEntries(
  Object.entries(refusals).map(([code, description]) => [
    code,
    { description, content: json(ref('Refusal')) },
  ]),
)

const header = (name: string, schema: JsonObject, description: string): JsonObject => ({
  name,
  in: 'header',
  required: false,
  schema,
  description,
})

const parameters: Readonly<Record<string, JsonObject>> = {
  deadline: header(
    'X-Hookgate-Deadline-Ms',
    { type: 'integer', minimum: 1 },
    'All hooks together have so long, in milliseconds.',
  ),
  ask: header(
    'X-Hookgate-Ask-Ms',
    { type: 'integer', minimum: minAskMs, maximum: maxAskMs },
    'The caller waits so long for a person, in milliseconds. The verdict is then allow or block, never ask. Without the header nobody is asked.',
  ),
  chain: header(
    'X-Hookgate-Chain',
    { type: 'string' },
    'The variable HOOKGATE_CHAIN, where a hook caused this event.',
  ),
}

const eventPaths = Object.fromEntries(
  EVENT_NAMES.map((event) => [
    `/v1/events/${event}`,
    {
      post: {
        operationId: event,
        tags: ['events'],
        summary: `Asks the hooks ${EVENTS[event].when}.`,
        parameters: Object.keys(parameters).map((name) => refTo('parameters', name)),
        requestBody: { required: true, content: json(ref(event)) },
        responses: answers(
          { description: 'The verdict.', content: json(ref('Verdict')) },
          400,
          403,
          409,
          413,
          429,
          503,
        ),
      },
    },
  ]),
)

const text = (description: string): JsonObject => ({ type: 'string', description })

const push: JsonObject = {
  ...objectOf(pushFields, {
    type: { type: 'string', enum: PUSH_TYPES, default: 'text' },
    marks: {
      type: 'array',
      maxItems,
      description: 'Parts of the text. Offset and length count UTF-16 units.',
      items: {
        type: 'object',
        properties: {
          type: { type: 'string', enum: MARK_TYPES },
          offset: { type: 'number' },
          length: { type: 'number' },
          field: text('The part that has the address of a link.'),
        },
        required: ['type', 'offset', 'length'],
      },
    },
    parts: {
      type: 'array',
      maxItems,
      description: 'Addresses and labels, such as link.0 or button.0.label.',
      items: {
        type: 'object',
        properties: { field: { type: 'string', maxLength: maxFieldLength }, text: { type: 'string' } },
        required: ['field', 'text'],
      },
    },
    files: {
      type: 'array',
      maxItems,
      description: `All files have at most ${maxFileBytes / 1e6} MB together.`,
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          type: {
            type: 'string',
            maxLength: maxTypeLength,
            pattern: '^[\\w.+-]+/[\\w.+-]+$',
            default: 'application/octet-stream',
          },
          base64: { type: 'string', minLength: 4 },
        },
        required: ['name', 'base64'],
      },
    },
  }),
}

const answerOfHook: JsonObject = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: ['abstain', 'allow', 'ask', 'block', 'fault'] },
    reason: { type: 'string' },
    fault: {
      type: 'object',
      properties: { kind: { type: 'string' }, detail: { type: 'string' } },
      required: ['kind', 'detail'],
    },
  },
  required: ['kind'],
  additionalProperties: false,
}

const schemas: Readonly<Record<string, Json>> = {
  ...Object.fromEntries(EVENT_NAMES.map((event) => [event, objectOf(eventFields(event))])),
  Push: push,
  Verdict: {
    type: 'object',
    properties: {
      verdict: { type: 'string', enum: ['allow', 'ask', 'block'] },
      reason: text('Why it was blocked, or what an owner would have to decide.'),
      payload: { type: 'object', description: 'The event as hooks left it. Go on with this one.' },
      stop_turn: { const: true, description: 'A hook asked to end the turn here.' },
      told: { const: true, description: 'An owner in the chat of this step was told of the block.' },
      context: text('What hooks add for the model.'),
      notes: { type: 'array', items: { type: 'string' }, description: 'For people. The model gets none.' },
      hooks: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            handle: { type: 'string' },
            fired: { type: 'boolean' },
            why: { type: 'string' },
            answer: answerOfHook,
          },
          required: ['handle', 'fired', 'why'],
          additionalProperties: false,
        },
      },
      event_id: text('The id for /hooks why.'),
    },
    required: ['verdict', 'payload', 'hooks', 'event_id'],
    additionalProperties: false,
  },
  PushReply: {
    type: 'object',
    properties: {
      outcome: { type: 'string', enum: ['queued', 'delivered', 'withheld', 'held', 'failed', 'unknown'] },
      reason: { type: 'string' },
      event_id: { type: 'string' },
      chat_id: text('The chat of a new topic.'),
      told: { const: true, description: 'An owner in this chat was told that it was withheld, and why.' },
    },
    required: ['outcome', 'event_id'],
    additionalProperties: false,
  },
  Refusal: {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' }, fix: { type: 'string' } },
        required: ['code', 'message', 'fix'],
        additionalProperties: false,
      },
    },
    required: ['error'],
    additionalProperties: false,
  },
}

/** The interface of an agent's socket, as an OpenAPI description. */
export const describeInterface = (): JsonObject => ({
  openapi: '3.1.0',
  info: {
    title: 'hookgate: what an agent asks the gate',
    version: '1',
    description: `HTTP on the Unix socket ~/.hookgate/run/<agent>.sock. The socket says which agent asks. Nothing here can change the gate. The body of an event has at most ${maxEventBytes} bytes, that of a push ${maxPushBytes}.`,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: 'http://gate', description: 'Any name will do, because the socket is the address.' }],
  // No request carries a secret: whoever may open the socket may ask.
  security: [],
  tags: [
    { name: 'events', description: 'The fixed points of an agent’s life, where hooks are asked.' },
    { name: 'messages', description: 'What reaches the agent, and what it sends.' },
  ],
  paths: {
    ...eventPaths,
    '/v1/push': {
      post: {
        operationId: 'push',
        tags: ['messages'],
        summary: 'Sends a message into one of the agent’s chats, if the hooks allow it.',
        requestBody: { required: true, content: json(ref('Push')) },
        responses: answers(
          { description: 'What became of it.', content: json(ref('PushReply')) },
          400,
          403,
          404,
          409,
          413,
          429,
          503,
        ),
      },
    },
    '/v1/inbox': {
      get: {
        operationId: 'inbox',
        tags: ['messages'],
        summary:
          'Waits for messages to the agent. Each one is a line of JSON. A new caller ends the one before.',
        responses: {
          200: {
            description: 'Lines without an end. A line has a type: prompt, ping, or a word of the owner.',
            content: { 'application/x-ndjson': { schema: { type: 'string' } } },
          },
        },
      },
    },
    '/v1/files/{id}': {
      get: {
        operationId: 'file',
        tags: ['messages'],
        summary: 'Reads a file of a message that the agent works on.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: answers(
          {
            description: 'Its bytes.',
            content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
          },
          404,
          503,
        ),
      },
    },
  },
  components: { schemas, parameters, responses },
})
