// @ts-check
import { e } from '../elements.js'
import { msWords, t, timeWords } from '../language/language.js'
import { visible, visibleCode } from '../text.js'
import { aboutOf } from './about.js'

/** @typedef {import('../../../../src/shared/events/kept.ts').KeptEvent} KeptEvent */

/** @param {unknown} value */
const codeOf = (value) => visibleCode(typeof value === 'string' ? value : JSON.stringify(value, null, 2))

/** @param {KeptEvent['hooks']} hooks */
const hooksOf = (hooks) =>
  hooks.length === 0
    ? e('p.small', t.noHookAsked)
    : e(
        'ul.details',
        hooks.map(({ label, deed, isShadow, durationMs }, index) =>
          e(
            'li',
            { key: index },
            `${isShadow === true ? t.wouldDeeds[deed] : t.deeds[deed]} · `,
            e('bdi', visible(label)),
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
 * @param {string} text @param {string} other @param {'del' | 'ins'} mark
 */
const marked = (text, other, mark) => {
  const [lines, others] = [text.split('\n'), other.split('\n')]
  const start = sameAtStart(lines, others)
  const end = sameAtStart(lines.slice(start).toReversed(), others.slice(start).toReversed())
  const middle = lines.slice(start, lines.length - end)
  return e(
    'pre',
    lines
      .slice(0, start)
      .map((line) => `${line}\n`)
      .join(''),
    // A line end inside the mark opens no line of its own below it.
    middle.length > 0 && e(mark, middle.join('\n') + (end > 0 ? '\n' : '')),
    lines.slice(lines.length - end).join('\n'),
  )
}

/** A field as it came, beside what hooks made of it. @param {KeptEvent} event */
const changesOf = ({ payload, changed }) =>
  changed !== undefined &&
  e(
    'div.changes',
    Object.entries(changed).map(([field, after]) => {
      const [before, now] = [codeOf(payload?.[field] ?? null), codeOf(after)]
      return e(
        'section',
        { key: field, 'aria-label': t.changedField(visible(field)) },
        e('h3', { dir: 'auto' }, visible(field)),
        e(
          'div.sides',
          e('div', e('p.small', t.asItCame), marked(before, now, 'del')),
          e('div', e('p.small', t.asHooksLeftIt), marked(now, before, 'ins')),
        ),
      )
    }),
  )

/** @param {{ event: KeptEvent }} props */
export const Event = ({ event }) => {
  const { id, atMs, event: name, agent, verdict, by, reason, payload, isCut } = event
  const about = aboutOf(event)
  return e(
    `li.kept.${verdict}`,
    e(
      'details',
      e(
        'summary',
        e('span.kept-name', { dir: 'auto' }, about),
        e(
          'span.small',
          e('span.verdict', t.verdicts[verdict]),
          event.changed !== undefined && [' · ', e('span.verdict.changed', t.ends.changed)],
          ` · ${timeWords(atMs, true)} · ${about === name ? '' : `${visible(name)} · `}${visible(agent)}`,
        ),
      ),
      reason !== undefined &&
        e('p', { dir: 'auto' }, visible(by === undefined ? reason : `${by}: ${reason}`)),
      hooksOf(event.hooks),
      changesOf(event),
      isCut === true && e('p.small', t.isCut),
      payload === undefined ? e('p.small', t.noPayload) : e('pre', codeOf(payload)),
      e('p.small', `/hooks why ${visible(id)}`),
    ),
  )
}
