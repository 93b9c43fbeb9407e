// @ts-check
import { h } from 'preact'
import { t } from '../language/language.js'
import { visible, visibleCode } from '../text.js'
import { msWords, timeWords } from './words.js'

/** @typedef {import('../../../../src/core/model/events/kept.ts').KeptEvent} KeptEvent */

/** @param {unknown} value */
const codeOf = (value) => visibleCode(typeof value === 'string' ? value : JSON.stringify(value, null, 2))

/** @param {{ hooks: KeptEvent['hooks'] }} props */
const Hooks = ({ hooks }) =>
  hooks.length === 0
    ? h('p', { class: 'small' }, t.noHookAsked)
    : h(
        'ul',
        { class: 'details' },
        hooks.map(({ label, deed, isShadow, durationMs }, index) =>
          h(
            'li',
            { key: index },
            `${isShadow === true ? t.wouldDeeds[deed] : t.deeds[deed]} · `,
            h('bdi', null, visible(label)),
            durationMs === undefined ? '' : ` · ${msWords(durationMs)}`,
          ),
        ),
      )

/**
 * The number of lines that both texts begin with.
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 */
const sameAtStart = (a, b) => {
  const differs = a.findIndex((line, at) => line !== b[at])
  return differs === -1 ? Math.min(a.length, b.length) : differs
}

/**
 * The lines of a text, of which those that the other text does not have in this place are marked.
 * @param {{ text: string, other: string, mark: 'del' | 'ins' }} props
 */
const Marked = ({ text, other, mark }) => {
  const [lines, others] = [text.split('\n'), other.split('\n')]
  const start = sameAtStart(lines, others)
  const end = sameAtStart(lines.slice(start).toReversed(), others.slice(start).toReversed())
  const middle = lines.slice(start, lines.length - end)
  /** @param {readonly string[]} part */
  const around = (part) => part.map((line) => `${line}\n`).join('')
  return h(
    'pre',
    null,
    around(lines.slice(0, start)),
    // A line end inside the mark opens no line of its own below it.
    middle.length > 0 && h(mark, null, middle.join('\n') + (end > 0 ? '\n' : '')),
    lines.slice(lines.length - end).join('\n'),
  )
}

/** A field as it came, beside what hooks made of it. @param {{ event: KeptEvent }} props */
const Changes = ({ event: { payload, changed } }) =>
  changed === undefined
    ? null
    : h(
        'div',
        { class: 'changes' },
        Object.entries(changed).map(([field, after]) => {
          const [before, now] = [codeOf(payload?.[field] ?? null), codeOf(after)]
          return h(
            'section',
            { key: field, 'aria-label': t.changedField(visible(field)) },
            h('h3', { dir: 'auto' }, visible(field)),
            h(
              'div',
              { class: 'sides' },
              h(
                'div',
                null,
                h('p', { class: 'small' }, t.asItCame),
                h(Marked, { text: before, other: now, mark: 'del' }),
              ),
              h(
                'div',
                null,
                h('p', { class: 'small' }, t.asHooksLeftIt),
                h(Marked, { text: now, other: before, mark: 'ins' }),
              ),
            ),
          )
        }),
      )

/** @param {{ event: KeptEvent }} props */
export const Event = ({ event }) => {
  const { id, atMs, event: name, agent, tool, verdict, by, reason, payload, isCut } = event
  return h(
    'li',
    { class: `kept ${verdict}` },
    h(
      'details',
      null,
      h(
        'summary',
        null,
        h('span', { class: 'pill' }, t.verdicts[verdict]),
        h('span', { class: 'kept-name' }, visible(tool === undefined ? name : `${name} · ${tool}`)),
        event.changed !== undefined && h('span', { class: 'pill changed' }, t.ends.changed),
        h('span', { class: 'small' }, `${timeWords(atMs)} · ${visible(agent)}`),
      ),
      reason !== undefined &&
        h('p', { dir: 'auto' }, visible(by === undefined ? reason : `${by}: ${reason}`)),
      h(Hooks, { hooks: event.hooks }),
      h(Changes, { event }),
      isCut === true && h('p', { class: 'small' }, t.isCut),
      payload === undefined ? h('p', { class: 'small' }, t.noPayload) : h('pre', null, codeOf(payload)),
      h('p', { class: 'small' }, `/hooks why ${visible(id)}`),
    ),
  )
}
