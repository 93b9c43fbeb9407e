import type { PlantedFault } from './planted-faults.ts'

/** What an owner approves could be something else than what they saw. */
export const approvalFaults: readonly PlantedFault[] = [
  {
    test: 'test/commands/press.test.ts',
    what: 'the card: it answers for more than it showed',
    file: 'src/commands/press.ts',
    find: 'return row.proposed === fingerprint && isWaiting(row)',
    replace: 'return isWaiting(row)',
  },
  {
    test: 'test/commands/approve.test.ts',
    what: 'a typed approval: an entry with another matcher counts as one that was never shown',
    file: 'src/commands/shown.ts',
    find: 'JSON.stringify([event.toLowerCase(), name])',
    replace: 'JSON.stringify([event.toLowerCase(), name, row.entry?.matcher])',
  },
  {
    test: 'test/commands/approve.test.ts',
    what: 'a typed approval: an entry that came beside the one that was shown is sealed with it',
    file: 'src/commands/shown.ts',
    find: 'seen.has(digest) && isSame(standing, now.get(key) ?? nothing))',
    replace: 'seen.size > 0)',
  },
  {
    test: 'test/commands/approve.test.ts',
    what: 'a typed approval: what a list names in passing counts as a whole card',
    file: 'src/commands/list.ts',
    find: "deck.shown.note(context.owner, page.rows, rows, 'line')",
    replace: "deck.shown.note(context.owner, page.rows, rows, 'asked')",
  },
  {
    test: 'test/commands/press.test.ts',
    what: 'the card: what is shown in part can be answered with yes',
    file: 'src/commands/deck.ts',
    find: "...(shows === 'part' ? [] : yes)",
    replace: '...yes',
  },
  {
    test: 'test/commands/card.property.ts',
    what: 'the card: two entries that differ read the same',
    file: 'src/commands/exact.ts',
    find: "const isPlain = text !== '' && plain.test(text) && !text.includes(noticeMark)",
    replace: "const isPlain = text !== 'x'",
  },
  {
    test: 'test/dispatcher/text.test.ts',
    what: 'the card: the middle of what has to be seen whole is cut',
    file: 'src/dispatcher/text.ts',
    find: 'if (isWhole || line.length <= maxQuotedUnits) return line',
    replace: 'if (line.length <= maxQuotedUnits) return line',
  },
  {
    test: 'test/hooks/entry.test.ts',
    what: 'an entry: it says where a program finds its own configuration',
    file: 'src/model/hook-world.ts',
    find: "'HOME', 'PATH', 'HOOKGATE_.*',",
    replace: "'PATH', 'HOOKGATE_.*',",
  },
  {
    test: 'test/hooks/transports/warm.test.ts',
    what: 'a warm hook: one that uses a file from where it lies may wait, started with what lay there',
    file: 'src/hooks/transports/command.ts',
    find: 'return watch === undefined ? undefined :',
    replace: 'return watch !== undefined || watch === undefined ? undefined :',
  },
]
