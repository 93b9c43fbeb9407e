import type { PlantedFault } from './planted-faults.ts'

/** What others could take of the gate by them. */
export const budgetFaults: readonly PlantedFault[] = [
  {
    test: 'test/model/bounded-server.test.ts',
    what: 'a listener: strangers keep the places that they took',
    file: 'src/model/bounded-server.ts',
    find: '?? silent ?? answered ?? known',
    replace: '&& known',
  },
  {
    test: 'test/model/bounded-server.test.ts',
    what: 'a listener: who takes nothing of an answer may hold it',
    file: 'src/model/bounded-server.ts',
    find: 'if (socket.writableLength > 0 || (',
    replace: 'if ((',
  },
  {
    test: 'test/server/server.test.ts',
    what: "an agent's socket: an answer that nobody reads counts for nothing",
    file: 'src/server/listener.ts',
    find: '    await untilGone(response, gone)\n',
    replace: '',
  },
  {
    test: 'test/server/file-route.test.ts',
    what: "an agent's socket: files are fetched for a reader who does not read",
    file: 'src/server/file-route.ts',
    find: 'last = sent.catch(() => undefined)',
    replace: 'void sent.catch(() => undefined)',
  },
  {
    test: 'test/server/file-route.test.ts',
    what: "an agent's socket: a file may be taken as slowly as its reader likes",
    file: 'src/server/file-route.ts',
    find: 'setTimeout(() => response.destroy(), answerMs)',
    replace: 'setTimeout(() => undefined, answerMs)',
  },
  {
    test: 'test/bridge/install/install.test.ts',
    what: 'Claude Code: what ran unjudged over HTTP counts as judged',
    file: 'src/bridge/install/json-clients.ts',
    find: ', failsClosed: true }',
    replace: ' }',
  },
  {
    test: 'test/inbox/overflow.test.ts',
    what: 'a chat: one member may have any number of messages wait for the agent',
    file: 'src/inbox/prompts.ts',
    find: '      if (!room.fits(message)) return overflow.tell(message)\n',
    replace: '',
  },
  {
    test: 'test/inbox/overflow.test.ts',
    what: 'a chat: others may take the room of its owner',
    file: 'src/inbox/prompt-room.ts',
    find: 'isOwner(asking) ? [`owner ${sender}`] :',
    replace: 'isOwner(asking) ? [others] :',
  },
  {
    test: 'test/hooks/behind.test.ts',
    what: 'an agent: any number of its steps may wait behind its verdicts',
    file: 'src/hooks/behind.ts',
    find: 'if (room.waiting.size === 0 && hasRoom(room, units))',
    replace: 'if (room.waiting.size === 0 || hasRoom(room, units))',
  },
]
