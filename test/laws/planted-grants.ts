import type { PlantedFault } from './planted-faults.ts'

/**
 * A grant could answer more than its owner meant, or a person with a lower role could do more than theirs.
 */
export const grantFaults: readonly PlantedFault[] = [
  {
    test: 'test/permissions/grants.property.ts',
    what: 'its pattern: a pattern covers calls whose other arguments differ',
    file: 'src/permissions/grants.ts',
    find: 'ports.canonical(Object.fromEntries(others)) === shape.others && matches(shape, text)',
    replace: 'matches(shape, text)',
  },
  {
    test: 'test/commands/cards/shapes.test.ts',
    what: 'its pattern: a pattern that is derived allows an operator of the shell',
    file: 'src/commands/cards/calls/shapes.ts',
    find: 'const anyWords = String.raw`( [\\w./:=@%+,-]+)*`',
    replace: 'const anyWords = String.raw`( .+)*`',
  },
  {
    test: 'test/core/gatekeeper/grants.test.ts',
    what: 'its pattern: a pattern that an owner typed matches any text',
    file: 'src/core/gatekeeper/grants/pattern-problem.ts',
    find: 'return [...anything, ...others].some(matches)',
    replace: "return pattern === ''",
  },
  {
    test: 'test/permissions/grants.test.ts',
    what: 'its pattern: a pattern meets a line of several commands as one text',
    file: 'src/core/gatekeeper/grants/pattern-cover.ts',
    find: 'knownCommands(line)?.every(matches) === true',
    replace: 'matches(line)',
  },
  {
    test: 'test/permissions/grants.test.ts',
    what: 'its pattern: a pattern covers a program that can run others',
    file: 'src/core/gatekeeper/grants/known-programs.ts',
    find: 'return options !== undefined && words',
    replace: 'return options === undefined || words',
  },
  {
    test: 'test/permissions/grants.test.ts',
    what: 'its end: a revoked grant answers a call for which it was found before',
    file: 'src/permissions/permissions.ts',
    find: '(stands && revision === verdict.revision && lockdown === undefined)',
    replace: "(decision.source === 'grant' || (stands && revision === verdict.revision))",
  },
  {
    test: 'test/permissions/grants.test.ts',
    what: 'its end: lost counts of uses give a grant new uses',
    file: 'src/permissions/grants.ts',
    find: 'uses - (counts?.get(id) ?? uses)',
    replace: 'uses - (counts?.get(id) ?? 0)',
  },
  {
    test: 'test/permissions/grants.test.ts',
    what: 'its calls: a grant covers a call that was rewritten after a person was asked',
    file: 'src/permissions/permissions.ts',
    find: 'first.digest === call.digest &&',
    replace: "first.digest !== '' &&",
  },
  {
    test: 'test/permissions/grants.test.ts',
    what: 'its calls: a grant answers a hook that is not sealed',
    file: 'src/permissions/grants.ts',
    find: "answer?.kind !== 'ask' || ports.isSealed(fingerprint)",
    replace: "answer?.kind !== 'ask' || fingerprint !== ''",
  },
  {
    test: 'test/core/gatekeeper/grants.test.ts',
    what: 'its owner: a grant outlives the role of the owner who gave it',
    file: 'src/core/gatekeeper/ledger/fold.ts',
    find: 'if (by === owner) grants.delete(id)',
    replace: "if (by === '') grants.delete(id)",
  },
  {
    test: 'test/core/gatekeeper/owners/roles.test.ts',
    what: 'a lower role: it gives the rights of an owner',
    file: 'src/core/model/gate/person.ts',
    find: "role === 'owner' || need === 'person' || need === role",
    replace: "role !== 'viewer' || need === 'person' || need === role",
  },
  {
    test: 'test/core/gatekeeper/owners/roles.test.ts',
    what: 'a lower role: an act of such a person is written to the ledger',
    file: 'src/core/gatekeeper/ledger/folded-ledger.ts',
    find: 'const act = acts.find(({ by }) => members.has(by))',
    replace: "const act = acts.find(({ by }) => by === '')",
  },
  {
    test: 'test/permissions/two-people.test.ts',
    what: 'a lower role: a card that was shown can be answered after the role has changed',
    file: 'src/shared/gate/permission.ts',
    find: '(tools === undefined || tools.some((name) => name.toLowerCase() === tool))',
    replace: "(tools === undefined || tool !== '')",
  },
  {
    test: 'test/commands/families/owners.test.ts',
    what: 'a name: two people with names that look alike are listed without their ids',
    file: 'src/commands/cards/people.ts',
    find: '.some((text) => skeletonOf(text) === skeleton)',
    replace: '.some((text) => text === name)',
  },
  {
    test: 'test/core/inbox/groups.test.ts',
    what: 'a group: it gets the answer about the gate, with its handles',
    file: 'src/core/inbox/lines.ts',
    find: 'const isForPrivate = !message.isPrivate && found.isOfGate === true',
    replace: "const isForPrivate = message.chat_id === '' && found.isOfGate === true",
  },
]
