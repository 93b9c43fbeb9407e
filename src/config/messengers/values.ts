import { z } from 'zod'

/** Values that several options of gate.yaml have. */
export const variableName = z
  .string('the name of an environment variable')
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable')

export const portFrom = (least: number) => {
  const words = `a port from ${least} to 65535`
  return z.int(words).min(least, words).max(65_535, words)
}

export const chatIds = z.array(
  z.union([z.string(), z.number()], 'a chat id').transform(String),
  'a list of chat ids',
)

/** True for an address without user, password, query and fragment. */
export const isBaseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    !/[?#\s\\]/.test(text)
  )
}
