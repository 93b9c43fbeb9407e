/** It has the form of a token and opens nothing. */
const token = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3eF5'].join('_')
const letters = token.split('')
const coded = (text: string): string => Buffer.from(text).toString('base64')

/** A token, each time in another form that a reader undoes without effort. */
export const disguises: readonly string[] = [
  token,
  `${'x'.repeat(20)}${token}`,
  `${token}${'y'.repeat(12)}`,
  letters.join('\u200b'),
  letters.join(' '),
  letters.toReversed().join(''),
  encodeURIComponent(token).replaceAll('3', '%33'),
  coded(token),
  // UTF-32.
  coded([...letters, ''].join('\0\0\0')),
]
