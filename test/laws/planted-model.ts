import type { PlantedFault } from './planted-faults.ts'

const judged = 'test/server/model-judged.test.ts'

/** What an agent could get from its model past the gate. */
export const modelFaults: readonly PlantedFault[] = [
  {
    test: judged,
    what: 'the way to the model: a question is sent although hooks block it',
    file: 'src/server/model-proxy/model-proxy.ts',
    find: "if (verdict !== 'allow' || stop_turn === true)",
    replace: "if (verdict === 'nothing')",
  },
  {
    test: judged,
    what: 'the way to the model: the original question is sent, not the one that hooks settled',
    file: 'src/server/model-proxy/model-proxy.ts',
    find: 'requestOf(question, model, messages, context)',
    replace: 'requestOf(question, model, messages.length > 0 ? question.messages : messages, context)',
  },
  {
    test: judged,
    what: 'the way to the model: fields that hooks do not see are sent',
    file: 'src/server/model-proxy/model-question.ts',
    find: 'if (unknown !== undefined) {',
    replace: "if (unknown?.[0] === '') {",
  },
  {
    test: judged,
    what: 'the way to the model: the hourly limit never resets',
    file: 'src/server/model-proxy/model-budget.ts',
    find: 'if (mine.calls >= bound.calls || mine.tokens + tokens > bound.tokens) {',
    replace: 'if (mine.calls < 0) {',
  },
  {
    test: judged,
    what: 'the way to the model: a key that is split over two pieces of an answer passes',
    file: 'src/server/model-proxy/model-mask.ts',
    find: 'if (piece !== undefined && open.size > 0 &&',
    replace: 'if (piece !== undefined && open.size > 1_000_000 &&',
  },
]
