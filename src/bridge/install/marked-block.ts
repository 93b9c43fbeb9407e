/** Our lines in a file of somebody else's, between two marks. */
const begin = '# hookgate: begin. "hookgate bridge install" writes what stands up to the end mark.'
const end = '# hookgate: end'

/** One hook, as it is written by us and by whoever writes the file anew. */
const hook = /^[ \t]*\[\[hooks\]\][ \t]*\r?\n(?:[ \t]*\w+[ \t]*=[^\n]*(?:\n|$))+/gm
const command = /^[ \t]*command[ \t]*=[ \t]*(["'])(.*)\1[ \t]*\r?$/m

/**
 * A TOML file with our block as its last one, or where it stood before; an empty block takes the marks away too. TOML is
 * not parsed: what would make the block part of something else is refused. Throws an Error that says why.
 */
export const withBlock = (text: string, block: string, isOurs: (command: string) => boolean): string => {
  const from = text.indexOf('# hookgate: begin')
  const to = text.indexOf(end, from + 1)
  if (from < 0 !== text.indexOf(end) < 0 || (from >= 0 && to < 0))
    throw new Error("one of the two marks of hookgate's lines is missing")
  // `kimi login` writes the whole file anew: without the marks, and with what stood between them.
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
