import type { PlantedFault } from './planted-faults.ts'

/** How a secret could pass by redact_secrets. */
export const redactFaults: readonly PlantedFault[] = [
  {
    test: 'test/handlers/builtins/redact/find.test.ts',
    what: 'redact_secrets: a text is only read in its original form',
    file: 'src/handlers/builtins/redact/disguises/fold.ts',
    find: 'let folded = foldOnce(text, depth)',
    replace: 'let folded = foldOnce(text.slice(0, 0), depth)',
  },
  {
    test: 'test/handlers/builtins/redact/find.test.ts',
    what: 'redact_secrets: nothing is decoded',
    file: 'src/handlers/builtins/redact/find.ts',
    find: 'const maxDecodings = 3',
    replace: 'const maxDecodings = 0',
  },
  {
    test: 'test/handlers/builtins/redact/find.test.ts',
    what: 'redact_secrets: the position in the decoded text is used as the position in the original text',
    file: 'src/handlers/builtins/redact/disguises/reading.ts',
    find: 'return { start: first, end: last, kind }',
    replace: 'return { start, end, kind }',
  },
  {
    test: 'test/handlers/builtins/redact/find.test.ts',
    what: 'redact_secrets: a letter directly before a secret hides it',
    file: 'src/handlers/builtins/redact/secrets/own-rules.ts',
    find: '`(?<=(?<lead>${lead}))`}${mark}${body}`',
    replace: '`(?<=(?<lead>${lead}))`}\\\\b${mark}${body}`',
  },
  {
    test: 'test/handlers/builtins/redact/find.test.ts',
    what: 'redact_secrets: a character between all its letters hides it',
    file: 'src/handlers/builtins/redact/disguises/separated.ts',
    find: 'if (places.size === 0) return undefined',
    replace: 'if (places.size >= 0) return undefined',
  },
  {
    test: 'test/handlers/builtins/redact/secrets/across.test.ts',
    what: 'redact_secrets: an earlier redaction hides that the first part of a secret was already sent',
    file: 'src/handlers/builtins/redact/secrets/across.ts',
    find: "text.replaceAll(mark, '')",
    replace: 'text',
  },
  {
    test: 'test/handlers/builtins/redact/secrets/across.test.ts',
    what: 'redact_secrets: other words between its two parts hide it',
    file: 'src/handlers/builtins/redact/secrets/halves.ts',
    find: 'const maxHeads = 8',
    replace: 'const maxHeads = 0',
  },
  {
    test: 'test/handlers/builtins/redact/files/judge.integration.ts',
    what: 'redact_secrets: a part of a file that cannot be judged counts as free of secrets',
    file: 'src/handlers/builtins/redact/files/judge.ts',
    find: 'unjudged.push(`The file ${name} ${await shown(whyNot(fault))}.`)',
    replace: 'isLate ||= false',
  },
  {
    test: 'test/handlers/builtins/redact/files/judge.integration.ts',
    what: 'redact_secrets: an archive may unpack to any size',
    file: 'src/handlers/builtins/redact/files/part.ts',
    find: 'export const maxUnpackedBytes = 50_000_000',
    replace: 'export const maxUnpackedBytes = 5_000_000_000',
  },
  {
    test: 'test/handlers/builtins/redact/files/judge.integration.ts',
    what: 'redact_secrets: the gate reads a file that not everybody can read',
    file: 'src/handlers/builtins/redact/files/judge.ts',
    find: ' || (fact.mode & 0o777) !== storedMode',
    replace: '',
  },
  {
    test: 'test/handlers/builtins/redact/files.integration.ts',
    what: 'redact_secrets: a file that cannot be judged discards the rewrite of the text',
    file: 'src/handlers/builtins/redact/redact.ts',
    find: "if ('failure' in texts || Object.keys(texts.answer).length === 0) return files",
    replace: "if ('failure' in texts || Object.keys(texts.answer).length >= 0) return files",
  },
]
