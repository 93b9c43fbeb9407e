/** The two markers around the lines of hookgate in a file of another program. */
const begin = '# hookgate: begin. "hookgate bridge install" writes what stands up to the end mark.'
const end = '# hookgate: end'

/** Matches one hook, also after another program has rewritten the file. */
const hook = /^[ \t]*\[\[hooks\]\][ \t]*\r?\n(?:[ \t]*\w+[ \t]*=[^\n]*(?:\n|$))+/gm
const command = /^[ \t]*command[ \t]*=[ \t]*(["'])(.*)\1[ \t]*\r?$/m

/**
 * Returns a TOML file with the block of hookgate at its old place, or at the end. An empty block removes the
 * markers too. TOML is not parsed, so a file in which the block could become part of another value is
 * refused. Throws an Error with the reason.
 */
export const withBlock = (text: string, block: string, isOurs: (command: string) => boolean): string => {
  const from = text.indexOf('# hookgate: begin')
  const to = text.indexOf(end, from + 1)
  if (from < 0 !== text.indexOf(end) < 0 || (from >= 0 && to < 0))
    throw new Error("one of the two markers around hookgate's lines is missing")
  // `kimi login` rewrites the whole file without the markers, but with the lines between them.
  const others = (part: string): string =>
    part.replaceAll(hook, (entry) => (isOurs(command.exec(entry)?.[2] ?? '') ? '' : entry))
  const [before, after] =
    from < 0
      ? [others(text), '']
      : [others(text.slice(0, from)), others(text.slice(to + end.length).replace(/^\r?\n/, ''))]
  if (/^[ \t]*hooks[ \t]*=/m.test(before + after))
    throw new Error('it has its hooks as one list, "hooks = […]"; write them as [[hooks]]')
  for (const quotes of ['"""', "'''"]) {
    if (before.split(quotes).length % 2 === 0)
      throw new Error(`a text in it that begins with ${quotes} does not end`)
  }
  if (block === '') return before + after === '' ? '' : `${before.trimEnd()}\n${after}`
  const head = from < 0 ? (before.trim() === '' ? '' : `${before.trimEnd()}\n\n`) : before
  return `${head}${begin}\n${block.trim()}\n${end}\n${after}`
}
