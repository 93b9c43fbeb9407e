/** A text's head and tail where it is longer than it may be, in UTF-16 units. */
export const cut = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text.slice(0, max / 2).toWellFormed()}\n[…]\n${text.slice(-max / 2).toWellFormed()}`
