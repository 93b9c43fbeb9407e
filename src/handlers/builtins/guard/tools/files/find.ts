import { readWords } from '../../reading/options.ts'
import { type Call, type Programs, tools } from '../../call.ts'
import { lossOf } from '../../deleting.ts'
import { pathsOf } from '../../files.ts'
import {
  either,
  empty,
  joined,
  literal,
  OPEN,
  open,
  STAR,
  textOf,
  type Value,
  valueOf,
} from '../../reading/value.ts'
import { kindsOf, normal, ofAll } from '../../places.ts'

/** `find`: each of its actions runs on all that it finds. */
export const find = (call: Call): Value => {
  const { words, machine, state } = call
  const texts = words.map((word) => textOf(word))
  const first = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-(?:[HLPDO]|O\d)$/.test(text))
  const starts = words
    .slice(0, first < 0 ? undefined : first)
    .filter((word) => !/^-[HLPDO]/.test(textOf(word)))
  const folders = starts.length === 0 ? [literal('.')] : starts
  const tests = first < 0 ? [] : texts.slice(first)
  const names = tests.filter((_, place) => /^-i?name$/.test(tests[place - 1] ?? ''))
  const named = either(
    folders.flatMap((folder) =>
      (names.length === 0 ? ['*'] : names).map((name) =>
        joined([folder, literal('/'), literal(name.replaceAll('*', STAR))]),
      ),
    ),
  )
  const key = names.find((name) => kindsOf(normal(name, '~')).has('key'))
  if (key !== undefined && folders.some(({ texts }) => texts.some((text) => ofAll.test(text))))
    machine.find('secret-access', 'searchesKeys', key)
  const isNarrow =
    tests.some((text, index) => {
      const value = tests[index + 1] ?? ''
      return (
        /^-(?:i?name|i?path|i?regex|wholename)$/.test(text) &&
        tests[index - 1] !== '!' &&
        tests[index - 1] !== '-not' &&
        !/^[*.\uE013]*$/.test(value)
      )
    }) || tests.some((text) => /^-(?:empty|m(?:time|min)|a(?:time|min)|newer)/.test(text))
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
    if (text === '-delete') {
      for (const folder of folders)
        for (const path of pathsOf(folder, state)) {
          const loss = lossOf(path, { isRecursive: true }, machine.cwd)
          if (loss?.isCertain === true && !isNarrow) machine.find('destroy', loss.says, path || '/', true)
          else if (
            loss !== undefined &&
            (!isNarrow || (loss.says !== 'deletesProject' && loss.says !== 'deletesFolder'))
          )
            machine.find('destroy', 'deletesFound', path)
        }
    }
    if (/^-(?:exec|ok)(?:dir)?$/.test(text)) {
      const rest = words.slice(index + 1)
      const end = rest.findIndex(({ texts: [one = ''] }) => one === ';' || one === '+')
      const inner = rest.slice(0, end < 0 ? undefined : end)
      const found = isNarrow
        ? either(folders.map((folder) => joined([folder, literal(`/${OPEN}`)])))
        : either(folders)
      const meant = names.length > 0 ? named : found
      call.runs(
        inner.map((word) =>
          word.texts.some((one) => one.includes('{}'))
            ? valueOf(
                word.texts.flatMap((one) => meant.texts.map((path) => one.replaceAll('{}', () => path))),
                meant.from,
              )
            : word,
        ),
      )
      const verb = textOf(inner[0]).replace(/^.*\//s, '')
      if (/^(?:rm|unlink|shred|rimraf|truncate)$/.test(verb))
        for (const folder of folders)
          for (const path of pathsOf(folder, state)) {
            const loss = lossOf(path, { isRecursive: true }, machine.cwd)
            if (loss !== undefined && loss.says !== 'deletesProject' && loss.says !== 'deletesFolder')
              machine.find('destroy', 'deletesFound', path || '/')
          }
      index += inner.length + 1
    }
  }
  return named
}

export const findTools: Programs = {
  ...tools('find gfind bfs', '', find),
  ...tools('fd fdfind', '', (call) => {
    const at = call.words.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(textOf(word)))
    if (at < 0) return open()
    const { operands } = readWords(call.words.slice(0, at), 'e=,extension= t=,type= d=,max-depth=')
    const found = joined([operands[1] ?? literal('.'), literal(`/${OPEN}`)])
    const inner = call.words.slice(at + 1)
    const isHole = ({ texts }: Value): boolean => texts[0]?.startsWith('{') === true
    return call.runs(
      inner.some(isHole) ? inner.map((word) => (isHole(word) ? found : word)) : [...inner, found],
    )
  }),
}
