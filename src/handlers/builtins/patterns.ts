/** The alternatives of a pattern, written as words in rows. */
export const oneOf = ({ raw: [rows = ''] }: TemplateStringsArray): string =>
  `(?:${rows.trim().replaceAll(/\s+/g, '|')})`

/** The text of a template with its backslashes as they stand. */
export const { raw } = String

/** A pattern that has one idea on a line. */
export const anyOf = (flags: string, ...alternatives: readonly string[]): RegExp =>
  new RegExp(alternatives.join('|'), flags)
