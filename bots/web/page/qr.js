// @ts-check
import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { visible } from './text.js'

/** Around the code, in its own units, there has to be light. */
const margin = 4
/** Of the picture, in pixels: a phone reads it from a hand's breadth. */
const sizePx = 240

/** Dark squares as one path. @param {readonly string[]} rows */
const pathOf = (rows) =>
  rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map(
        ({ index, 0: run }) => `M${index + margin} ${y + margin}h${run.length}v1h-${run.length}z`,
      ),
    )
    .join('')

/** The code that logs the bot in to WeChat, until it is used or over. @param {{ login: NonNullable<import('../preferences.ts').Preferences['wechatLogin']> }} props */
export const WechatLogin = ({ login }) => {
  const [over, setOver] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setOver(login.expiresAtMs), Math.max(0, login.expiresAtMs - Date.now()))
    return () => clearTimeout(timer)
  }, [login.expiresAtMs])
  if (over >= login.expiresAtMs || login.expiresAtMs <= Date.now()) return null
  const rows = login.rows ?? []
  const side = rows.length + 2 * margin
  return h(
    'div',
    null,
    rows.length > 0
      ? h(
          'svg',
          {
            role: 'img',
            'aria-label': 'WeChat login',
            width: sizePx,
            height: sizePx,
            viewBox: `0 0 ${side} ${side}`,
            'shape-rendering': 'crispEdges',
          },
          h('rect', { width: side, height: side, fill: '#fff' }),
          h('path', { d: pathOf(rows), fill: '#000' }),
        )
      : h('code', { class: 'command' }, visible(login.text)),
    h(
      'p',
      null,
      rows.length > 0
        ? 'Scan this with WeChat to log the bot in.'
        : 'Open this on a computer and scan what it shows, to log the bot in to WeChat.',
    ),
  )
}
