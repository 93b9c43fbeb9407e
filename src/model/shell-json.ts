/**
 * The escapes of JSON that an `echo` may turn into what they stand for. `\"` and `\u` mean nothing to any of
 * them.
 */
const plain: Readonly<Record<string, string>> = {
  '\\n': '\\u000a',
  '\\t': '\\u0009',
  '\\r': '\\u000d',
  '\\b': '\\u0008',
  '\\f': '\\u000c',
  '\\\\': '\\u005c',
}

/**
 * The same JSON with the escapes that survive `INPUT=$(cat); echo "$INPUT" | jq`, which is how most hooks
 * read. The `echo` of dash, and of bash where it stands in for sh, writes a line break for `\n`: the JSON is
 * broken, jq fails, and a guard that falls back to "go on" is open for each command of two lines.
 */
export const shellProof = (json: string): string =>
  json.replaceAll(/\\./g, (escape) => plain[escape] ?? escape)
