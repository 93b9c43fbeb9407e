// @ts-check
import { h } from 'preact'
import { Held } from './held.js'
import { WechatLogin } from './qr.js'
import { visible } from '../text.js'

/**
 * @typedef {import('../../preferences.ts').ShownPreferences} Preferences
 * @typedef {import('../../preferences.ts').PreferenceRow} PreferenceRow
 * @typedef {{ command: (text: string) => void, pending: ReadonlySet<string> }} CommandProps
 */

/** @param {PreferenceRow} row */
const toneOf = (row) => {
  if (row.isLive) return 'live'
  if (row.isApproved) return 'approved'
  return row.canApprove ? 'waiting' : 'invalid'
}

/** @param {{ row: PreferenceRow } & CommandProps} props */
const Row = ({ row, command, pending }) => {
  /** @param {string} name @param {string} text @param {string} look */
  const button = (name, text, look) =>
    h(
      'button',
      {
        type: 'button',
        class: look,
        'data-act': text,
        'aria-disabled': pending.has(text),
        onClick: () => command(text),
      },
      name,
    )
  return h(
    'li',
    // The label contains only the handle, so that the text of a file cannot name a control.
    { class: `row ${toneOf(row)}`, 'aria-label': `Hook ${row.handle}` },
    h(
      'p',
      { class: 'top' },
      h('span', { class: 'pill' }, row.status),
      h('span', { class: 'handle' }, row.handle),
    ),
    h('p', { class: 'event' }, visible(row.event)),
    h('code', { class: 'command' }, visible(row.command)),
    row.details.length > 0 &&
      h(
        'ul',
        { class: 'details' },
        row.details.map((detail, index) => h('li', { key: index }, visible(detail))),
      ),
    (row.canApprove || row.isApproved) &&
      h(
        'p',
        { class: 'actions' },
        row.canApprove && button('Approve', `/hooks approve ${row.handle}`, 'primary'),
        row.isApproved && button('Revoke', `/hooks revoke ${row.handle}`, 'careful'),
      ),
  )
}

/** @param {{ preferences: Preferences } & CommandProps} props */
const Content = ({ preferences, command, pending }) => {
  const { isOn, lockdown, held, heldLeft, rows } = preferences
  const live = rows.filter((row) => row.isLive).length
  const waiting = rows.filter((row) => row.canApprove).length
  const act = `/hooks ${isOn ? 'off' : 'on'}`
  return h(
    'div',
    null,
    lockdown !== undefined &&
      h('p', { class: 'lockdown', role: 'alert' }, h('strong', null, 'Lockdown. '), lockdown),
    preferences.wechatLogin !== undefined && h(WechatLogin, { login: preferences.wechatLogin }),
    h(
      'div',
      { class: 'master' },
      h(
        'button',
        {
          type: 'button',
          role: 'switch',
          'data-act': act,
          'aria-checked': isOn,
          'aria-disabled': pending.has(act),
          class: 'switch',
          onClick: () => command(act),
        },
        h('span', { class: 'track' }, h('span', { class: 'knob' })),
        h('span', null, 'Hooks'),
      ),
      h(
        'p',
        null,
        h('strong', null, isOn ? 'On' : 'Off'),
        isOn ? ` · ${live} live · ${waiting} waiting` : ' · no hook runs',
      ),
    ),
    held.length > 0 && h(Held, { held, left: heldLeft, command, pending }),
    rows.length === 0
      ? h(
          'p',
          { class: 'empty' },
          'There are no hooks yet. Add one to ',
          h('code', null, 'config/shell_hooks.yaml'),
          '. It then appears here.',
        )
      : h(
          'ul',
          { class: 'rows' },
          rows.map((row, index) =>
            h(Row, { key: `${row.handle}/${row.handle === '' ? index : ''}`, row, command, pending }),
          ),
        ),
  )
}

/**
 * @param {{ preferences: Preferences | undefined, isUnreadable: boolean, logout: (isEverywhere: boolean) => void }
 *   & CommandProps} props
 */
export const PreferencesPanel = ({ preferences, isUnreadable, logout, command, pending }) =>
  h(
    'section',
    { id: 'preferences', class: 'panel preferences', 'aria-labelledby': 'preferences-title' },
    h('h2', { id: 'preferences-title' }, 'Preferences'),
    isUnreadable &&
      h(
        'p',
        { class: 'lockdown', role: 'alert' },
        'The hooks could not be read, so this list may be out of date. Write /hooks in the chat to see them.',
      ),
    preferences === undefined
      ? !isUnreadable && h('p', { class: 'empty' }, 'Loading the hooks …')
      : h(Content, { preferences, command, pending }),
    h(
      'p',
      { class: 'leave' },
      h('button', { type: 'button', class: 'quiet', onClick: () => logout(false) }, 'Log out'),
      h('button', { type: 'button', class: 'quiet', onClick: () => logout(true) }, 'Log out all tabs'),
    ),
  )
