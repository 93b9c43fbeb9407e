/**
 * The git commands that change a work tree, its index or its HEAD. In a hook git only reads: see the hook
 * host.
 */
const writing =
  /^(?:add|commit|stash|checkout|switch|restore|reset|merge|rebase|cherry-pick|revert|rm|mv|pull|am)$/

/** The command of git that these words give it, when it would write. */
export const gitVerb = (words: readonly string[]): string | undefined => {
  let at = 0
  while (words[at]?.startsWith('-') === true) at += /^-[Cc]$/.test(words[at] ?? '') ? 2 : 1
  const [verb = '', next = ''] = words.slice(at)
  const isReading = verb === 'stash' && /^(?:list|show)$/.test(next)
  return writing.test(verb) && !isReading ? verb : undefined
}

const maxRemarks = 3

/** Remarks about commands of git that would write. */
export const gitRemarks = (verbs: readonly string[]): readonly string[] =>
  verbs
    .slice(0, maxRemarks)
    .map(
      (verb) =>
        `It calls "git ${verb}", but in a hook git can only read, so that call will fail. ` +
        'Let the agent or a person do it.',
    )
