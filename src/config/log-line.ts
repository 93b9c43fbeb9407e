/**
 * What a terminal takes for a command, or for a change of the direction of reading. JSON escapes the rest by
 * itself.
 */
const obeyed = /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * A line of the log as it can stand on a terminal. It is JSON that says the same as before: what an agent, a
 * file or a stranger wrote is shown, never carried out.
 */
export const logLine = (json: string): string =>
  json.replaceAll(obeyed, (sign) => String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
