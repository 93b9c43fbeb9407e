import { type Call, type Programs, tools } from '../../call.ts'
import { lossOf } from '../../deleting.ts'
import { pathsOf } from '../../files.ts'
import { either, joined, literal, OPEN, open, STAR, type Value, valueOf } from '../../reading/value.ts'
import { kindsOf, normal } from '../../places.ts'
import { ofAll, writes } from './access.ts'

/** `find`: each of its actions runs on all that it finds. */
export const find = (call: Call): Value => {
  const { words, machine, state } = call
  const texts = words.map((word) => word.texts[0] ?? '')
  const first = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-(?:[HLPDO]|O\d)$/.test(text))
  const starts = words
    .slice(0, first < 0 ? undefined : first)
    .filter((word) => !/^-[HLPDO]/.test(word.texts[0] ?? ''))
  const folders = starts.length === 0 ? [literal('.')] : starts
  const tests = first < 0 ? [] : texts.slice(first)
  const names = tests.filter((_, place) => /^-i?name$/.test(tests[place - 1] ?? ''))
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
      if (target !== undefined) writes(call, target, open())
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
      const meant =
        names.length > 0
          ? either(
              folders.flatMap((folder) =>
                names.map((one) => joined([folder, literal('/'), literal(one.replaceAll('*', STAR))])),
              ),
            )
          : found
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
      const verb = (inner[0]?.texts[0] ?? '').replace(/^.*\//s, '')
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
  return names.length === 0
    ? either(folders.map((folder) => joined([folder, literal(`/${STAR}`)])))
    : either(
        folders.flatMap((folder) =>
          names.map((one) => joined([folder, literal('/'), literal(one.replaceAll('*', STAR))])),
        ),
      )
}

export const findTools: Programs = {
  ...tools('find gfind bfs', '', find),
  ...tools('fd fdfind', 'x=,exec= X=,exec-batch= e=,extension= t=,type= d=,max-depth=', (call) => {
    const at2 = call.words.findIndex(({ texts }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(texts[0] ?? ''))
    if (at2 >= 0) {
      const inner = call.words
        .slice(at2 + 1)
        .map((word) => (word.texts[0]?.startsWith('{') === true ? literal(`./${OPEN}`) : word))
      call.runs(
        inner.length === call.words.length - at2 - 1 &&
          inner.every((word) => !word.texts.some((text) => text.includes(OPEN)))
          ? [...inner, literal(`./${OPEN}`)]
          : inner,
      )
    }
    return open()
  }),
}
