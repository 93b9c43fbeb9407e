// @ts-check
import { h } from 'preact'
import { t } from '../language/language.js'
import { Switch } from './switch.js'

/**
 * The guards that are part of hookgate: one button for all of them, and a toggle for each.
 * @param {{ guards: readonly import('../../preferences.ts').ShownGuard[], isOn: boolean } &
 *   import('./preferences.js').CommandProps} props
 */
export const Protection = ({ guards, isOn, command, pending }) => {
  const isWhole = isOn && guards.every(({ isApproved }) => isApproved)
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
    !isWhole &&
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
        !isOn && h('span', { class: 'small' }, t.turnsOn),
      ),
  )
}
