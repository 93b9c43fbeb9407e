const opening = /<<-?[ \t]{0,9}(?:'(\w{1,100})'|"(\w{1,100})"|\\?([A-Za-z_]\w{0,99}))/
const fedToShell = /(?:^|[|;&(\s])(?:ba|da|z|k)?sh\b[^|;&]*<</

/**
 * Removes the here-documents of shell text, except those that a shell reads, because the input of another
 * program contains no shell commands. A here-document without its last line is kept. Takes linear time.
 */
export const withoutHeredocs = (text: string): string => {
  const lines = text.split('\n')
  /** The line numbers at which each word is alone on a line, from the last line to the first. */
  const ends = new Map<string, number[]>()
  for (let at = lines.length - 1; at >= 0; at--) {
    const word = lines[at]?.trim() ?? ''
    if (!/^\w{1,100}$/.test(word)) continue
    const endLines = ends.get(word)
    if (endLines === undefined) ends.set(word, [at])
    else endLines.push(at)
  }
  const keptLines: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    keptLines.push(line)
    const [, single, double, bare] = opening.exec(line) ?? []
    const word = single ?? double ?? bare
    if (word === undefined || fedToShell.test(line)) continue
    const endLines = ends.get(word) ?? []
    while ((endLines.at(-1) ?? at + 1) <= at) endLines.pop()
    at = endLines.at(-1) ?? at
  }
  return keptLines.join('\n')
}
