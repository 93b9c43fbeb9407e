/** What a client writes to its hook, whole; or why it cannot be had. Nothing is decided here about what it holds. */
export type Stdin = { readonly bytes: Buffer } | { readonly why: string }

/** As much as the gate takes of one event. */
export const maxStdinBytes = 8 * 1024 * 1024

export const readStdin = (): Promise<Stdin> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const { stdin } = process
    stdin.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      // Read on and let go of it: whoever writes it must not meet a reader that is gone.
      if (bytes > maxStdinBytes) chunks.length = 0
      else chunks.push(chunk)
    })
    stdin.on('end', () => resolve(bytes > maxStdinBytes ? { why: `this event is larger than ${maxStdinBytes / 1024 / 1024} MB` } : { bytes: Buffer.concat(chunks) }))
    stdin.on('error', () => resolve({ why: 'this event could not be read' }))
  })
