const rowOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [rowOf(head), `|${'---|'.repeat(head.length)}`, ...rows.map(rowOf)].join('\n')
