// @ts-check
import { h } from 'preact'
import { button, e, Switch } from '../elements.js'
import { t } from '../language/language.js'
import { heldSection } from './held.js'
import { protectionSection } from './protection.js'
import { WechatLogin } from './qr.js'
import { hookGroups } from './rows.js'
import { settingsSection } from './settings.js'

/**
 * @typedef {import('../../preferences.ts').ShownPreferences} Preferences
 * @typedef {import('./rows.js').RowProps} RowProps
 */

/** @param {Preferences} preferences @param {RowProps} props */
const masterSwitch = ({ isOn, rows }, { command, pending }) => {
  const live = rows.filter((row) => row.isLive).length
  const waiting = rows.filter((row) => row.canApprove).length
  return e(
    'div.master',
    h(Switch, { name: t.hooks, isOn, act: `/hooks ${isOn ? 'off' : 'on'}`, command, pending }),
    e('p', e('strong', isOn ? t.on : t.off), ` · ${isOn ? t.counts(live, waiting) : t.noneRuns}`),
  )
}

/** @param {Preferences} preferences @param {RowProps} props */
const contentOf = (preferences, props) => {
  const { lockdown, held, heldLeft, rows, guards, wechatLogin } = preferences
  return e(
    'div',
    lockdown !== undefined && e('p.lockdown', { role: 'alert' }, e('strong', `${t.lockdown} `), lockdown),
    wechatLogin !== undefined && h(WechatLogin, { login: wechatLogin }),
    masterSwitch(preferences, props),
    lockdown === undefined && guards.length > 0 && protectionSection(preferences, props),
    held.length > 0 && heldSection(held, heldLeft, props),
    rows.length === 0
      ? e('p.empty', t.noHooksBefore, e('code', 'config/shell_hooks.yaml'), t.noHooksAfter)
      : hookGroups(rows, props),
  )
}

/**
 * @param {{ preferences: Preferences | undefined, isUnreadable: boolean, answer: string,
 *   logout: (isEverywhere: boolean) => void, redraw: () => void } & RowProps} props
 */
export const PreferencesPanel = ({ preferences, isUnreadable, answer, logout, redraw, ...props }) =>
  e(
    'section.panel.preferences',
    { id: 'preferences', 'aria-labelledby': 'preferences-title', tabIndex: 0 },
    e(
      'div.panel-head',
      e('h2', { id: 'preferences-title' }, t.preferences),
      button('quiet', t.history, () => props.ask({ kind: 'history' })),
    ),
    e(
      'div.answer',
      { role: 'status', 'aria-label': t.answer },
      answer !== '' && e('p', { dir: 'auto' }, answer),
    ),
    isUnreadable && e('p.lockdown', { role: 'alert' }, t.unreadable),
    preferences === undefined ? !isUnreadable && e('p.empty', t.loading) : contentOf(preferences, props),
    settingsSection({ logout, redraw, command: props.command }),
  )
