import { readWords } from '../../reading/options.ts'
import { type Call, type Programs, tools } from '../../call.ts'
import {
  either,
  filled,
  fits,
  literal,
  OPEN,
  open,
  STAR,
  textOf,
  under,
  type Value,
} from '../../reading/value.ts'
import { kindsOf, normal, ofAll } from '../../places.ts'

/** `find`: each of its actions runs on all that it finds. */
const find = (call: Call): Value => {
  const { words, texts } = call
  const first = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-(?:[HLPDO]|O\d)$/.test(text))
  const before = words.slice(0, first < 0 ? undefined : first)
  const starts = before.filter((word) => !/^-[HLPDO]/.test(textOf(word)))
  const folders = starts.length === 0 ? [literal('.')] : starts
  const tests = first < 0 ? [] : texts.slice(first)
  const names = tests.filter((_, place) => /^-i?name$/.test(tests[place - 1] ?? ''))
  const named = either(
    folders.flatMap((folder) =>
      (names.length === 0 ? ['*'] : names).map((name) => under(folder, name.replaceAll('*', STAR))),
    ),
  )
  const key = names.find((name) => kindsOf(normal(name, '~')).has('key'))
  if (key !== undefined && folders.some((folder) => fits(folder, ofAll)))
    call.find('secret-access', 'searchesKeys', key)
  const isNarrow = tests.some(
    (text, index) =>
      /^-(?:empty|m(?:time|min)|a(?:time|min)|newer)/.test(text) ||
      (/^-(?:i?name|i?path|i?regex|wholename)$/.test(text) &&
        !/^(?:!|-not)$/.test(tests[index - 1] ?? '') &&
        !/^[*.\uE013]*$/.test(tests[index + 1] ?? '')),
  )
  const paths = folders.flatMap(call.paths)
  /** The project and its folders are searched all day. */
  const isGrave = (loss: ReturnType<typeof call.loss>): loss is NonNullable<typeof loss> =>
    loss !== undefined && !/^deletes(?:Project|Folder)$/.test(loss.says)
  for (let index = Math.max(0, first); index < words.length; index++) {
    const text = texts[index] ?? ''
    if (
      /^-i?name$|^-i?path$|^-i?regex$|^-newer|^-type$|^-size$|^-m|^-a(?:time|min)|^-user$|^-group$|^-perm$/.test(
        text,
      )
    ) {
      index++
      continue
    }
    if (/^-f(?:print0?|printf|ls)$/.test(text)) {
      const target = words[index + 1]
      if (target !== undefined) call.writes(target, open())
    }
    if (text === '-delete')
      for (const path of paths) {
        const loss = call.loss(path)
        if (loss?.isCertain === true && !isNarrow) call.find('destroy', loss.says, path || '/', true)
        else if (isGrave(loss) || (loss !== undefined && !isNarrow))
          call.find('destroy', 'deletesFound', path)
      }
    if (/^-(?:exec|ok)(?:dir)?$/.test(text)) {
      const rest = words.slice(index + 1)
      const end = rest.findIndex((word) => /^[;+]$/.test(textOf(word)))
      const inner = rest.slice(0, end < 0 ? undefined : end)
      const found = either(isNarrow ? folders.map((folder) => under(folder, OPEN)) : folders)
      const meant = names.length > 0 ? named : found
      call.runs(inner.map((word) => filled(word, '{}', meant.texts, meant.from)))
      const verb = textOf(inner[0]).replace(/^.*\//s, '')
      if (/^(?:rm|unlink|shred|rimraf|truncate)$/.test(verb))
        for (const path of paths)
          if (isGrave(call.loss(path))) call.find('destroy', 'deletesFound', path || '/')
      index += inner.length + 1
    }
  }
  return named
}

export const findTools: Programs = {
  ...tools`find gfind bfs`(find),
  ...tools`fd fdfind`((call) => {
    const at = call.words.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(textOf(word)))
    if (at < 0) return open()
    const { operands } = readWords(call.words.slice(0, at), 'e=,extension= t=,type= d=,max-depth=')
    const found = under(operands[1] ?? literal('.'), OPEN)
    const inner = call.words.slice(at + 1)
    const isHole = (word: Value): boolean => textOf(word).startsWith('{')
    return call.runs(
      inner.some(isHole) ? inner.map((word) => (isHole(word) ? found : word)) : [...inner, found],
    )
  }),
}
