import type { Timed } from './measure.ts'

/** Contenders measured side by side; the first one is the floor. */
export interface Subject {
  readonly name: string
  readonly times: readonly Timed[]
}
