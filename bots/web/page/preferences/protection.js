// @ts-check
import { h } from 'preact'
import { t } from '../language/language.js'
import { Switch } from './switch.js'

/**
 * The guards that are part of hookgate: one button for all of them, and a toggle for each.
 * @param {{ preferences: import('./preferences.js').Preferences } &
 *   import('./preferences.js').CommandProps} props
 */
export const Protection = ({ preferences: { guards, tapEffect }, command, pending }) => {
  const act = '/hooks protect on'
  return h(
    'section',
    { class: 'protection', 'aria-labelledby': 'protection-title' },
    h('h3', { id: 'protection-title' }, t.protection),
    guards.map(({ name, title, effect, isApproved }) =>
      h(
        'div',
        { class: 'guard', key: name },
        h(Switch, {
          name: title,
          isOn: isApproved,
          act: `/hooks protect ${name} ${isApproved ? 'off' : 'on'}`,
          describedBy: `guard-${name}`,
          command,
          pending,
        }),
        h('p', { id: `guard-${name}` }, effect),
      ),
    ),
    tapEffect !== undefined &&
      h(
        'p',
        { class: 'actions' },
        h(
          'button',
          {
            type: 'button',
            class: 'primary',
            'data-act': act,
            'aria-disabled': pending.has(act),
            onClick: () => command(act),
          },
          t.protectMe,
        ),
        h('span', { class: 'small' }, tapEffect),
      ),
  )
}
