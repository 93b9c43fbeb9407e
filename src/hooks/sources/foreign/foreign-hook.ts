import type { ForeignDialect, Shell } from '../../../model/hooks/dialect.ts'
import type { HandlerType, Matcher, OnError } from '../../../model/hooks/entry.ts'

/** One hook as another system's file says it, before our bounds. Absent: that system's default. */
export interface ForeignHook {
  readonly dialect: ForeignDialect
  /** As the file spells it. */
  readonly event: string
  readonly type?: HandlerType
  readonly command: string
  readonly args?: readonly string[]
  readonly shell?: Shell
  /** In our form, to be tried on that system's names. `matches` of the event is filled in where `pattern` has no field. */
  readonly matcher?: Matcher
  /** A permission rule of Claude Code. */
  readonly condition?: string
  readonly timeoutMs?: number
  readonly onError?: OnError
  readonly priority?: number
  readonly isAsync?: boolean
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
  /** The folder that its system gives to it, such as a plugin's. */
  readonly root?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly model?: string
  readonly origin: string
  readonly description?: string
  readonly name?: string
  /** Where in the file it stands, for a problem. */
  readonly line?: number
  readonly remarks?: readonly string[]
}
