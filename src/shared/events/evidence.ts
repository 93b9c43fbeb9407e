const maxTools = 100
const maxUrls = 500
const maxUrlsPerTool = 50
const maxUrlLength = 2_000

/** One tool that ran, as evidence for a claim of completion. */
export interface ToolUse {
  readonly name: string
  readonly is_error: boolean
  /** Null: unknown. */
  readonly exit_code: number | null
  readonly urls: readonly string[]
}

/** Copies a substring, since it would otherwise keep the whole text in memory. */
export const copied = (piece: string): string => Buffer.from(piece).toString()

/** The web addresses in a tool's result, without those longer than `maxUrlLength`. */
const urlsIn = (text: string): readonly string[] =>
  text
    .matchAll(/https?:\/\/[^\s"'<>`)\]}]+/g)
    .map(([url]) => url)
    .filter((url) => url.length <= maxUrlLength)
    .take(maxUrlsPerTool)
    .map(copied)
    .toArray()

/** Remembers a tool that ran. The oldest are removed when there are too many. */
export const rememberTool = (
  tools: ToolUse[],
  name: string,
  result: { readonly text: string; readonly isError: boolean; readonly exitCode: number | null },
): void => {
  tools.push({ name, is_error: result.isError, exit_code: result.exitCode, urls: urlsIn(result.text) })
  const urlCount = (): number => tools.reduce((sum, tool) => sum + tool.urls.length, 0)
  while (tools.length > maxTools || urlCount() > maxUrls) tools.shift()
}

export const toolNames = (tools: readonly ToolUse[]): string[] => [...new Set(tools.map((tool) => tool.name))]
