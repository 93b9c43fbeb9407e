/** Comments and string literals. One that nothing closes ends with its line or the text. */
const tokens = {
  python: /#[^\n]*|("""|''')[\s\S]*?(?:\1|$(?![\s\S]))|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/g,
  node: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|`(?:[^`\\]|\\[\s\S])*`?/g,
} as const

/**
 * Tells for an index whether it lies in a comment or inside a string literal, so that code there is only
 * spoken of. The opening quote counts as outside, and so does what a template of JavaScript inserts.
 */
export const spokenAt = (text: string, language: keyof typeof tokens): ((index: number) => boolean) => {
  const spoken = new Uint8Array(text.length)
  for (const { 0: token, index } of text.matchAll(tokens[language])) {
    spoken.fill(1, index + (/^[#/]/.test(token) ? 0 : 1), index + token.length)
    if (!token.startsWith('`')) continue
    for (const { 0: inserted, index: at } of token.matchAll(/\$\{[^{}]*\}/g))
      spoken.fill(0, index + at, index + at + inserted.length)
  }
  return (index) => spoken[index] === 1
}
