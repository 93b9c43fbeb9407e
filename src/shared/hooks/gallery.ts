import type { JsonObject } from '../../core/model/base/json.ts'

/** A hook for a single job, which an owner can have proposed with one tap. */
export interface GalleryJob {
  readonly name: string
  /** The entry as a file would have it, without its name. */
  readonly hook: JsonObject & { readonly event: string; readonly command: string }
  /** Payloads that it stops or changes, and payloads that it lets pass as they are, for its self-test. */
  readonly stops?: readonly JsonObject[]
  readonly passes?: readonly JsonObject[]
  /** A part of the context that it adds. */
  readonly adds?: string
}
