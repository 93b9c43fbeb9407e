import type { Call } from '../../call.ts'
import { either, OPEN, open, origin, type Value, valueOf } from '../../reading/value.ts'
import { reads } from '../files/access.ts'

const fresh = origin.network | origin.decoded

/** What a filter makes of a text: it can be what it was. Nobody reads a changed one before it runs. */
export const filtered = ({ texts, from }: Value): Value =>
  texts.every((text) => text === OPEN || text === '')
    ? open(from)
    : valueOf([...texts, OPEN], from | origin.decoded)

/** Finds what is run without that anybody could read it before. */
export const runsFresh = ({ machine }: Call, content: Value): boolean => {
  if ((content.from & fresh) === 0) return false
  machine.find('remote-exec', (content.from & origin.network) !== 0 ? 'runsDownload' : 'runsDecoded')
  return true
}

/** Runs a text of a shell that can come from somewhere else. */
export const runsText = (call: Call, text: Value, change: Parameters<Call['runsShell']>[1] = {}): Value => {
  runsFresh(call, text)
  return call.runsShell(text, change)
}

/** The file that a program runs. What the line wrote into it is known. */
export const runsFile = (
  call: Call,
  name: Value,
  run: (content: Value) => Value | undefined,
): Value | undefined => {
  const content = reads(call, name, true)
  if (runsFresh(call, content)) return undefined
  const known = content.texts.filter((one) => one !== OPEN)
  return known.length === 0 ? undefined : run({ ...content, texts: known })
}

export const stream = ({ state }: Call, name: Value): Value =>
  either(
    name.texts.map(
      (text) =>
        state.streams.get(text.replace(/^\/dev\/fd\//, ''))?.content ??
        state.files.get(text)?.content ??
        open(),
    ),
  )
