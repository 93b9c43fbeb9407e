// @ts-check
import { h } from 'preact'

/**
 * A toggle that sends a command.
 * @param {{ name: string, isOn: boolean, act: string, describedBy?: string } &
 *   import('./preferences.js').CommandProps} props
 */
export const Switch = ({ name, isOn, act, describedBy, command, pending }) =>
  h(
    'button',
    {
      type: 'button',
      role: 'switch',
      'data-act': act,
      'aria-checked': isOn,
      'aria-disabled': pending.has(act),
      'aria-describedby': describedBy,
      class: 'switch',
      onClick: () => command(act),
    },
    h('span', { class: 'track' }, h('span', { class: 'knob' })),
    h('span', null, name),
  )
