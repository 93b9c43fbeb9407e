import type { ForeignDialect, Shell } from '../../../core/model/hooks/dialect.ts'
import type { HandlerType, Matcher, OnError } from '../../../core/model/hooks/entry.ts'

/**
 * One hook as another system's file describes it, before the gate's bounds apply. An absent field means that
 * system's default.
 */
export interface ForeignHook {
  readonly dialect: ForeignDialect
  /** The event name as the file spells it. */
  readonly event: string
  readonly type?: HandlerType
  readonly command: string
  readonly args?: readonly string[]
  readonly shell?: Shell
  /**
   * The matcher in the gate's form, for that system's names. When `pattern` has no field, the event's
   * `matches` is filled in.
   */
  readonly matcher?: Matcher
  /** A permission rule in Claude Code's form. */
  readonly condition?: string
  readonly timeoutMs?: number
  readonly onError?: OnError
  readonly priority?: number
  readonly isAsync?: boolean
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
  /** The folder that its system passes to it, such as a plugin's folder. */
  readonly root?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly model?: string
  readonly origin: string
  readonly description?: string
  readonly name?: string
  /** Its line in the file, for a problem. */
  readonly line?: number
  readonly remarks?: readonly string[]
}
