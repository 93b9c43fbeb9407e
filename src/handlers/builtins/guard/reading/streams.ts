import type { Redirection } from 'unbash'
import { wordValue } from './expand.ts'
import { readFiles, writeFiles } from '../files.ts'
import type { State } from '../machine.ts'
import { empty, joined, literal, open, origin, type Value } from './value.ts'
import { setVariable } from './variables.ts'
import { expansionOf, hereText, type Walk } from './walk-words.ts'

const descriptorOf = (redirection: Redirection): string => {
  const { descriptor } = redirection
  if (descriptor?.type === 'FileDescriptor') return String(descriptor.value)
  if (descriptor?.type === 'FileDescriptorVariable') return descriptor.name
  return redirection.type === 'Redirect' && /^(?:>|&>)/.test(redirection.operator) ? '1' : '0'
}

/** What the redirections of a command do to its streams. */
export const redirect = (walk: Walk, state: State, redirections: readonly Redirection[], stays: boolean) => {
  const { machine } = state
  const expansion = expansionOf(walk, state)
  let input: Value | undefined
  const outputs: ((output: Value) => void)[] = []
  let isTaken = false
  const fromStream = (name: string): Value | undefined => state.streams.get(name)?.content
  for (const redirection of redirections) {
    machine.step()
    const stream = descriptorOf(redirection)
    const keeps = (content: Value, feeds?: (input: Value) => void): void => {
      if (!stays && /^[012]$/.test(stream)) return
      state.streams.set(stream, { content, feeds })
      if (/^[a-z_]/i.test(stream)) setVariable(state, stream, literal(stream))
    }
    const reads = (content: Value): void => {
      if (stream === '0') input = content
      keeps(content)
    }
    if (redirection.type === 'HereDoc') {
      const { body } = redirection
      const content =
        body.parts === undefined
          ? literal(body.text)
          : body.parts.every(({ type }) => type === 'Literal')
            ? literal(body.parts.map((part) => ('value' in part ? part.value : part.text)).join(''))
            : hereText(body.text, body.parts, walk, state)
      reads(content)
      continue
    }
    const { target } = redirection
    if (target === undefined) continue
    if (redirection.type === 'HereString') {
      reads(joined([wordValue(target, expansion), literal('\n')]))
      continue
    }
    const name = wordValue(target, expansion)
    const { operator } = redirection
    if (operator === '>&' || operator === '<&') {
      const [meant = ''] = name.texts
      const other = meant.replace(/-$/, '')
      if (meant === '-') {
        if (stays) state.streams.delete(stream)
      } else if (state.streams.has(other)) {
        const there = state.streams.get(other)
        if (stream === '0') input = fromStream(other)
        else if (stream === '1') {
          isTaken = true
          outputs.push((output) => there?.feeds?.(output))
        }
        if (stays && there !== undefined) state.streams.set(stream, there)
      } else if (stream === '1' && !/^\d*$/.test(other)) {
        isTaken = true
        outputs.push((output) => writeFiles(state, name, output))
      } else if (stream === '0' && other.startsWith('/dev/')) input = readFiles(state, name)
      continue
    }
    if (operator === '<') {
      reads(readFiles(state, name))
      continue
    }
    // A stream that is opened for reading and writing can be a connection.
    const isNetwork = name.texts.some((text) => /^\/dev\/(?:tcp|udp)\//.test(text))
    if (operator === '<>' && stream === '0') input = readFiles(state, name)
    const isAdded = operator.endsWith('>>') || operator === '<>'
    keeps(isNetwork ? open(origin.network) : empty, (content) => writeFiles(state, name, content, true))
    if (stream === '1' || operator.startsWith('&')) {
      isTaken = true
      outputs.push((output) => writeFiles(state, name, output, isAdded))
    } else if (!stays) writeFiles(state, name, stream === '2' ? empty : open(), isAdded)
  }
  const standard = state.streams.get('1')
  return {
    input: input ?? (state.streams.has('0') && !stays ? fromStream('0') : undefined),
    /** Gives the output its way. Returns what is left for the next program of a pipeline. */
    give: (output: Value): Value => {
      for (const give of outputs) give(output)
      if (!isTaken && standard?.feeds !== undefined && !stays) {
        standard.feeds(output)
        return empty
      }
      return isTaken ? empty : output
    },
  }
}
