import { kindsOf } from '../places.ts'
import type { Call } from '../call.ts'
import { OPEN, type Value } from '../reading/value.ts'

/** The first text of each word. */
export const textsOf = (words: readonly Value[]): readonly string[] =>
  words.map(({ texts: [text = ''] }) => text)

/** The values of several options, such as `e exec`. */
export const valuesOf = (call: Call, names: string): readonly Value[] =>
  names.split(' ').flatMap((name) => call.values(name))

/** Words of a program that nothing is known of: it can read a place of keys, and print it. */
export const readsWords = (call: Call): void => {
  for (const word of call.words)
    for (const one of word.texts) {
      const path = one.replace(/^(?:-{0,2}[\w-]+=)?@?(?:file:\/\/)?/, '')
      if (one === OPEN || /^-\w?$|\s/.test(path) || !/[./~]/.test(path)) continue
      // A file of variables that is given to a program is what it is for.
      if (/\.env(?:\.\w+)?$/.test(path) && /env/.test(call.machine.part.replace(path, ''))) continue
      if (kindsOf(path).has('key') && !/(?:^|\/)\.(?:aws|kube|ssh|docker|gnupg|config)\/?$/.test(path))
        call.readsKey({ texts: [path], from: word.from })
    }
}
