/** Shortens a text to its beginning and end when it is longer than `max` UTF-16 units. */
export const cut = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text.slice(0, max / 2).toWellFormed()}\n[…]\n${text.slice(-max / 2).toWellFormed()}`
