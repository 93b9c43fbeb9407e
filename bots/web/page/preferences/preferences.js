// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { actButton, actions, button, e, Switch } from '../elements.js'
import { chooseLanguage, language, t, tables } from '../language/language.js'
import { canNotify, isNotifying, isRefused, startNotifying, stopNotifying } from '../notify/notify.js'
import { heldSection } from './held.js'
import { protectionSection } from './protection.js'
import { WechatLogin } from './qr.js'
import { shortName, visible } from '../text.js'

/**
 * @typedef {import('../../preferences.ts').ShownPreferences} Preferences
 * @typedef {import('../../preferences.ts').PreferenceRow} PreferenceRow
 * @typedef {import('../elements.js').CommandProps & { ask: (asked: import('../dialogs.js').Asked) => void }}
 *   RowProps
 */

/** @param {PreferenceRow} row */
const toneOf = (row) => {
  if (row.isLive) return 'live'
  if (row.isApproved) return 'approved'
  return row.canApprove ? 'waiting' : 'invalid'
}

/** @param {PreferenceRow} row @param {RowProps} props */
const rowButtons = (row, { command, pending, ask }) => {
  const { handle } = row
  const name = shortName(row.name ?? row.command)
  const isChanged = row.isChanged === true && row.canApprove
  const approve = row.canApprove ? `/hooks approve ${handle}` : undefined
  // Each button has a key of its own, so that it never becomes another one while it has the focus.
  /** @param {string} label @param {string} fullName @param {string} look */
  const sourceButton = (label, fullName, look) =>
    button(look, label, () => ask({ kind: 'source', handle, name, approve }), {
      key: label,
      'aria-label': fullName,
    })
  /** @param {string} look @param {string} label @param {string} fullName @param {string} act @param {() => void} [run] */
  const act = (look, label, fullName, act, run = () => command(act)) =>
    actButton(look, label, act, run, { pending, name: fullName, key: label })
  const revoke = `/hooks revoke ${handle}`
  return actions(
    isChanged && sourceButton(t.whatChanged, t.whatChangedHook(name), 'primary'),
    !isChanged && row.hasFiles === true && sourceButton(t.source, t.sourceHook(name), 'quiet'),
    approve !== undefined && act(isChanged ? 'quiet' : 'primary', t.approve, t.approveHook(name), approve),
    row.canTry === true && act('quiet', t.try, t.tryHook(name), `/hooks try ${handle}`),
    row.canPromote === true && act('quiet', t.promote, t.promoteHook(name), `/hooks promote ${handle}`),
    row.isApproved &&
      act('careful', t.revoke, t.revokeHook(name), revoke, () =>
        ask({ kind: 'revoke', name, act: revoke, run: () => command(revoke) }),
      ),
  )
}

/** @param {{ row: PreferenceRow } & RowProps} props */
const Row = ({ row, ...props }) =>
  e(
    `li.row.${toneOf(row)}`,
    // The label contains only the handle, so that the text of a file cannot name a control.
    { 'aria-label': t.hookLabel(row.handle) },
    e('p.top', e('span.pill', row.status), e('span.handle', row.handle)),
    row.name !== undefined && e('h3.hook-name', { dir: 'auto' }, shortName(row.name)),
    row.description !== undefined && e('p.says', { dir: 'auto' }, visible(row.description)),
    e('p.event', visible(row.event)),
    e('code.command', visible(row.command)),
    row.details.length > 0 &&
      e(
        'ul.details',
        row.details.map((detail, index) => e('li', { key: index }, visible(detail))),
      ),
    row.handle !== '' && rowButtons(row, props),
  )

/**
 * The rows with keys that stay when a handle changes, as it does after an approval. So the row of a hook
 * stays the same element, and the focus in it stays, too.
 * @param {readonly PreferenceRow[]} rows
 */
const keyed = (rows) => {
  /** @type {Map<string, number>} */
  const counts = new Map()
  return rows.map((row) => {
    const place = `${row.event} ${row.command}`
    const count = counts.get(place) ?? 0
    counts.set(place, count + 1)
    return { row, key: `${count} ${place}` }
  })
}

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
  const isLater = preferences.isProtectionProposed === true
  const all = keyed(rows)
  const later = isLater ? all.filter(({ row }) => !row.isApproved) : []
  /** @param {ReturnType<typeof keyed>} some */
  const list = (some) =>
    e(
      'ul.rows',
      some.map(({ row, key }) => h(Row, { key, row, ...props })),
    )
  return e(
    'div',
    lockdown !== undefined && e('p.lockdown', { role: 'alert' }, e('strong', `${t.lockdown} `), lockdown),
    wechatLogin !== undefined && h(WechatLogin, { login: wechatLogin }),
    masterSwitch(preferences, props),
    lockdown === undefined && guards.length > 0 && protectionSection(preferences, props),
    held.length > 0 && heldSection(held, heldLeft, props),
    rows.length === 0
      ? e('p.empty', t.noHooksBefore, e('code', 'config/shell_hooks.yaml'), t.noHooksAfter)
      : list(isLater ? all.filter(({ row }) => row.isApproved) : all),
    later.length > 0 && e('details.later', e('summary', t.moreHooks(later.length)), list(later)),
  )
}

/** The button that asks whether the page may notify the person, or ends that. */
const NotifyButton = () => {
  const [isOn, setOn] = useState(isNotifying())
  const [isDenied, setDenied] = useState(isRefused())
  if (!canNotify()) return null
  const toggle = async () => {
    if (isOn) stopNotifying()
    else await startNotifying()
    setOn(isNotifying())
    setDenied(isRefused())
  }
  return e(
    'div.notify',
    button('quiet', isOn ? t.notifyOff : t.notifyMe, toggle, { 'aria-describedby': 'notify-when' }),
    e('p.small', { id: 'notify-when', role: 'status' }, isDenied ? t.notifyRefused : t.notifyWhen),
  )
}

/** The languages of the page. Each stands in itself. @param {(name: 'en' | 'zh') => void} changed */
export const languageButtons = (changed) =>
  e(
    'p.languages',
    { role: 'group', 'aria-label': t.language },
    Object.entries(tables).map(([key, { name: label }]) => {
      const name = key === 'zh' ? 'zh' : 'en'
      const choose = () => {
        chooseLanguage(name)
        changed(name)
      }
      return button('quiet', label, choose, {
        key,
        lang: name === 'zh' ? 'zh-Hans' : name,
        'aria-pressed': name === language,
      })
    }),
  )

/**
 * @param {{ preferences: Preferences | undefined, isUnreadable: boolean, answer: string,
 *   logout: (isEverywhere: boolean) => void, redraw: () => void } & RowProps} props
 */
export const PreferencesPanel = ({ preferences, isUnreadable, answer, logout, redraw, ...props }) =>
  e(
    'section.panel.preferences',
    { id: 'preferences', 'aria-labelledby': 'preferences-title', tabIndex: 0 },
    e('h2', { id: 'preferences-title' }, t.preferences),
    e(
      'div.answer',
      { role: 'status', 'aria-label': t.answer },
      answer !== '' && e('p', { dir: 'auto' }, answer),
    ),
    isUnreadable && e('p.lockdown', { role: 'alert' }, t.unreadable),
    preferences === undefined
      ? !isUnreadable && e('p.empty', t.loading)
      : [
          contentOf(preferences, props),
          actions(button('quiet', t.history, () => props.ask({ kind: 'history' }))),
        ],
    h(NotifyButton, null),
    languageButtons((name) => {
      redraw()
      // The choice is for the chat, so hookgate writes its notices in this language, too.
      props.command(`/lang ${name}`)
    }),
    e(
      'p.leave',
      button('quiet', t.logOut, () => logout(false)),
      button('quiet', t.logOutAll, () => logout(true)),
    ),
  )
