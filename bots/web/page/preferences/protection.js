// @ts-check
import { h } from 'preact'
import { actButton, actions, e, section, Switch } from '../elements.js'
import { t } from '../language/language.js'

const act = '/hooks protect on'

/**
 * The guards that are part of hookgate: one button for all of them, and a toggle for each.
 * @param {import('./preferences.js').Preferences} preferences
 * @param {import('../elements.js').CommandProps} props
 */
export const protectionSection = ({ guards, tapEffect }, { command, pending }) =>
  section(
    'protection',
    'protection-title',
    t.protection,
    e(
      'div.guards',
      guards.map(({ name, title, effect, isApproved }) =>
        e(
          'div.guard',
          { key: name },
          h(Switch, {
            name: title,
            isOn: isApproved,
            act: `/hooks protect ${name} ${isApproved ? 'off' : 'on'}`,
            describedBy: `guard-${name}`,
            command,
            pending,
          }),
          // What is on needs no more words, so that what waits is seen below it.
          e(isApproved ? 'p.unseen' : 'p', { id: `guard-${name}` }, effect),
        ),
      ),
      tapEffect !== undefined &&
        actions(
          actButton('primary', t.protectMe, act, () => command(act), { pending }),
          e('span.small', tapEffect),
        ),
    ),
  )
