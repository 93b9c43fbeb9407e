import { dirname } from 'node:path'
import { geminiProgram } from '../clients/gemini.ts'

/** Where npm puts the program of Gemini CLI. */
export const bundle = dirname(geminiProgram)

export type PeerQuestion =
  /** Runs one command hook, which may take so many milliseconds. */
  | { readonly kind: 'run'; readonly command: string; readonly timeoutMs: number; readonly input: object }
  /** Asks so many times, in a row, which of the hooks of these matchers are for a tool. */
  | {
      readonly kind: 'match'
      readonly matchers: readonly string[]
      readonly tool: string
      readonly times: number
    }

export interface PeerAnswer {
  readonly us: number
  /** True when the hook ended by itself. */
  readonly success: boolean
}
