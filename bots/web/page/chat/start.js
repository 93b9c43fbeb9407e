// @ts-check
import { actButton, button, e } from '../elements.js'
import { t } from '../language/language.js'

/**
 * @typedef {{ preferences: import('../preferences/preferences.js').Preferences | undefined,
 *   ask: (asked: import('../dialogs.js').Asked) => void, begin: (text: string) => void
 *   } & import('../elements.js').CommandProps} StartProps `begin` puts a text into the message box
 */

/** @typedef {readonly [title: string, more: string]} Words */

/** What a tap offers, in two lines. @param {Words} words */
const linesOf = ([title, more]) => [e('strong', title), e('span.small', more)]

/**
 * What helps most as the gate stands: to be protected, else to see what waits, else to see the hooks.
 * @param {import('../preferences/preferences.js').Preferences} preferences
 * @returns {readonly [act: string, words: Words]}
 */
const firstOf = ({ lockdown, tapEffect, guards, held, rows }) => {
  if (lockdown === undefined && tapEffect !== undefined && guards.length > 0)
    return ['/hooks protect', [t.protectMe, t.protectWhat]]
  const waiting = rows.filter(({ canApprove }) => canApprove).length
  if (held.length > 0) return ['/hooks held', [t.whatWaits, t.waitCount(held.length + waiting)]]
  if (waiting > 0) return ['/hooks pending', [t.whatWaits, t.waitCount(waiting)]]
  return ['/hooks', [t.seeHooks, t.seeHooksWhat]]
}

/** An empty chat: three things to tap. @param {StartProps} props */
export const Start = ({ preferences, command, pending, ask, begin }) => {
  const first = preferences === undefined ? undefined : firstOf(preferences)
  return e(
    'div.start',
    e('p', t.noMessages),
    first !== undefined && [
      actButton('offer', linesOf(first[1]), first[0], () => command(first[0]), { pending, key: first[0] }),
      button('offer', linesOf([t.whatHappened, t.whatHappenedWhat]), () => ask({ kind: 'history' }), {
        key: 'history',
      }),
      button('offer', linesOf([t.writeToAgent, t.writeWhat(t.firstWords)]), () => begin(t.firstWords), {
        key: 'write',
      }),
    ],
  )
}
