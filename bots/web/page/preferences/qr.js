// @ts-check
import { useEffect, useState } from 'preact/hooks'
import { e } from '../elements.js'
import { t } from '../language/language.js'
import { visible } from '../text.js'

/** The width of the light border around the code, in squares of the code. */
const margin = 4
/** The size of the picture, in pixels. A phone can read it from a short distance. */
const sizePx = 240

/** The dark squares as one SVG path. @param {readonly string[]} rows */
const pathOf = (rows) =>
  rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map(
        ({ index, 0: run }) => `M${index + margin} ${y + margin}h${run.length}v1h-${run.length}z`,
      ),
    )
    .join('')

/**
 * Shows the code for the WeChat login until it expires.
 * @param {{ login: NonNullable<import('../../preferences.ts').Preferences['wechatLogin']> }} props
 */
export const WechatLogin = ({ login }) => {
  const [expiredAtMs, setExpiredAtMs] = useState(0)
  useEffect(() => {
    const timer = setTimeout(
      () => setExpiredAtMs(login.expiresAtMs),
      Math.max(0, login.expiresAtMs - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [login.expiresAtMs])
  if (expiredAtMs >= login.expiresAtMs || login.expiresAtMs <= Date.now()) return null
  const rows = login.rows ?? []
  const side = rows.length + 2 * margin
  const isDrawn = rows.length > 0
  return e(
    'div',
    isDrawn
      ? e(
          'svg',
          {
            role: 'img',
            'aria-label': t.wechatLogin,
            width: sizePx,
            height: sizePx,
            viewBox: `0 0 ${side} ${side}`,
            'shape-rendering': 'crispEdges',
          },
          e('rect', { width: side, height: side, fill: '#fff' }),
          e('path', { d: pathOf(rows), fill: '#000' }),
        )
      : e('code.command', visible(login.text)),
    e('p', isDrawn ? t.wechatScan : t.wechatOpen),
  )
}
