/**
 * These characters start a terminal command or change the direction of text. JSON itself escapes the other
 * control characters.
 */
const obeyed = /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Escapes a log line for a terminal. The result is JSON with the same meaning. A terminal shows text of an
 * agent, a file or a stranger, and does not execute it.
 */
export const logLine = (json: string): string =>
  json.replaceAll(obeyed, (sign) => String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
