/** The self-built app in Feishu's developer console that is the bot. */
export interface App {
  /** Such as `cli_0123456789abcdef`. */
  readonly appId: string
  readonly appSecret: string
  /** The address of the platform, without a slash at its end. */
  readonly root: string
}

/** How long a server may be silent. */
export interface Patience {
  /** A ping may stay without an answer for so long, in seconds. */
  readonly pingS: number
  /** A request may, in milliseconds. An upload and a download may take longer. */
  readonly requestMs: number
}
