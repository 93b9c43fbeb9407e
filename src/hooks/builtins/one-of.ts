/** The alternatives of a pattern, written as words in rows. */
export const oneOf = ({ raw: [rows = ''] }: TemplateStringsArray): string =>
  `(?:${rows.trim().replaceAll(/\s+/g, '|')})`
