import { readFileSync } from 'node:fs'

/** Whether two texts are the same but for how far their lines are indented: pages of text lose that. */
const folded = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const foundingFile = (name: string): string =>
  readFileSync(new URL(`../fixtures/founding/${name}`, import.meta.url), 'utf8')

/** The snippets of one founding document, as they stand there, by the names that we gave them. */
export const snippetsOf = (document: string): ((name: string) => string) => {
  const fences = foundingFile(`${document}.md`).matchAll(/^## (.+)\n\n(`{3,4})\w*\n([^]*?)\n\2$/gm)
  const known = new Map([...fences].map(([, name = '', , text = '']) => [name, `${text}\n`]))
  return (name) => {
    const text = known.get(name)
    if (text === undefined) throw new Error(`Document ${document} has no snippet ${name}.`)
    return text
  }
}

/** Every snippet, by its document. */
export const allSnippets = (
  document: string,
): readonly { readonly name: string; readonly text: string }[] => {
  const snippet = snippetsOf(document)
  const names = foundingFile(`${document}.md`).matchAll(/^## (.+)\n\n`{3,4}/gm)
  return [...names].map(([, name = '']) => ({ name, text: snippet(name) }))
}

export { folded, foundingFile }
