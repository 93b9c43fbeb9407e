// @ts-check
import { h } from 'preact'
import { chooseLanguage, language, t, tables } from '../language/language.js'
import { NotifyButton } from '../notify/button.js'
import { Held } from './held.js'
import { Protection } from './protection.js'
import { Switch } from './switch.js'
import { WechatLogin } from './qr.js'
import { shortName, visible } from '../text.js'

/**
 * @typedef {import('../../preferences.ts').ShownPreferences} Preferences
 * @typedef {import('../../preferences.ts').PreferenceRow} PreferenceRow
 * @typedef {{ command: (text: string) => void, pending: ReadonlySet<string> }} CommandProps
 * @typedef {import('../dialogs.js').Asked} Asked
 * @typedef {CommandProps & { ask: (asked: Asked) => void }} RowProps
 */

/** @param {PreferenceRow} row */
const toneOf = (row) => {
  if (row.isLive) return 'live'
  if (row.isApproved) return 'approved'
  return row.canApprove ? 'waiting' : 'invalid'
}

/** @param {{ row: PreferenceRow } & RowProps} props */
const Row = ({ row, command, pending, ask }) => {
  const { handle } = row
  const name = shortName(row.name ?? row.command)
  const approve = row.canApprove ? `/hooks approve ${handle}` : undefined
  /**
   * @param {string} label
   * @param {string} fullName
   * @param {string} look
   * @param {() => void} run
   * @param {string} [act]
   */
  const button = (label, fullName, look, run, act) =>
    h(
      'button',
      {
        // A key of its own, so that a button never becomes another one while it has the focus.
        key: label,
        type: 'button',
        class: look,
        'aria-label': fullName,
        'data-act': act,
        'aria-disabled': act === undefined ? undefined : pending.has(act),
        onClick: run,
      },
      label,
    )
  const isChanged = row.isChanged === true && row.canApprove
  const source = () => ask({ kind: 'source', handle, name, approve })
  const promote = row.canPromote === true ? `/hooks promote ${handle}` : undefined
  const tried = row.canTry === true ? `/hooks try ${handle}` : undefined
  const revoke = `/hooks revoke ${handle}`
  return h(
    'li',
    // The label contains only the handle, so that the text of a file cannot name a control.
    { class: `row ${toneOf(row)}`, 'aria-label': t.hookLabel(handle) },
    h(
      'p',
      { class: 'top' },
      h('span', { class: 'pill' }, row.status),
      h('span', { class: 'handle' }, handle),
    ),
    row.name !== undefined && h('h3', { class: 'hook-name', dir: 'auto' }, shortName(row.name)),
    row.description !== undefined && h('p', { class: 'says', dir: 'auto' }, visible(row.description)),
    h('p', { class: 'event' }, visible(row.event)),
    h('code', { class: 'command' }, visible(row.command)),
    row.details.length > 0 &&
      h(
        'ul',
        { class: 'details' },
        row.details.map((detail, index) => h('li', { key: index }, visible(detail))),
      ),
    handle !== '' &&
      h(
        'p',
        { class: 'actions' },
        isChanged && button(t.whatChanged, t.whatChangedHook(name), 'primary', source),
        !isChanged && row.hasFiles === true && button(t.source, t.sourceHook(name), 'quiet', source),
        approve !== undefined &&
          button(
            t.approve,
            t.approveHook(name),
            isChanged ? 'quiet' : 'primary',
            () => command(approve),
            approve,
          ),
        tried !== undefined && button(t.try, t.tryHook(name), 'quiet', () => command(tried), tried),
        promote !== undefined &&
          button(t.promote, t.promoteHook(name), 'quiet', () => command(promote), promote),
        row.isApproved &&
          button(
            t.revoke,
            t.revokeHook(name),
            'careful',
            () => ask({ kind: 'revoke', name, act: revoke, run: () => command(revoke) }),
            revoke,
          ),
      ),
  )
}

/**
 * The rows with keys that stay when a handle changes, as it does after an approval. So the row of a hook
 * stays
 * the same element, and the focus in it stays, too.
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

/** @param {{ preferences: Preferences } & CommandProps} props */
const Master = ({ preferences: { isOn, rows }, command, pending }) => {
  const live = rows.filter((row) => row.isLive).length
  const waiting = rows.filter((row) => row.canApprove).length
  const act = `/hooks ${isOn ? 'off' : 'on'}`
  return h(
    'div',
    { class: 'master' },
    h(Switch, { name: t.hooks, isOn, act, command, pending }),
    h('p', null, h('strong', null, isOn ? t.on : t.off), ` · ${isOn ? t.counts(live, waiting) : t.noneRuns}`),
  )
}

/** @param {{ preferences: Preferences } & RowProps} props */
const Content = ({ preferences, command, pending, ask }) => {
  const { lockdown, held, heldLeft, rows, guards } = preferences
  const isLater = preferences.isProtectionProposed === true
  const all = keyed(rows)
  const later = isLater ? all.filter(({ row }) => !row.isApproved) : []
  /** @param {ReturnType<typeof keyed>} some */
  const list = (some) =>
    h(
      'ul',
      { class: 'rows' },
      some.map(({ row, key }) => h(Row, { key, row, command, pending, ask })),
    )
  return h(
    'div',
    null,
    lockdown !== undefined &&
      h('p', { class: 'lockdown', role: 'alert' }, h('strong', null, `${t.lockdown} `), lockdown),
    preferences.wechatLogin !== undefined && h(WechatLogin, { login: preferences.wechatLogin }),
    h(Master, { preferences, command, pending }),
    lockdown === undefined && guards.length > 0 && h(Protection, { preferences, command, pending }),
    held.length > 0 && h(Held, { held, left: heldLeft, command, pending }),
    rows.length === 0
      ? h(
          'p',
          { class: 'empty' },
          t.noHooksBefore,
          h('code', null, 'config/shell_hooks.yaml'),
          t.noHooksAfter,
        )
      : list(isLater ? all.filter(({ row }) => row.isApproved) : all),
    later.length > 0 &&
      h('details', { class: 'later' }, h('summary', null, t.moreHooks(later.length)), list(later)),
  )
}

/**
 * The languages of the page. Each stands in itself.
 * @param {{ changed: (name: 'en' | 'zh') => void }} props
 */
export const Languages = ({ changed }) =>
  h(
    'p',
    { class: 'languages', role: 'group', 'aria-label': t.language },
    Object.entries(tables).map(([name, { name: label }]) =>
      h(
        'button',
        {
          key: name,
          type: 'button',
          class: 'quiet',
          lang: name === 'zh' ? 'zh-Hans' : name,
          'aria-pressed': name === language,
          onClick: () => {
            const chosen = name === 'zh' ? 'zh' : 'en'
            chooseLanguage(chosen)
            changed(chosen)
          },
        },
        label,
      ),
    ),
  )

/**
 * @param {{ preferences: Preferences | undefined, isUnreadable: boolean, answer: string,
 *   logout: (isEverywhere: boolean) => void, redraw: () => void } & RowProps} props
 */
export const PreferencesPanel = ({
  preferences,
  isUnreadable,
  answer,
  logout,
  redraw,
  command,
  pending,
  ask,
}) =>
  h(
    'section',
    { id: 'preferences', class: 'panel preferences', 'aria-labelledby': 'preferences-title', tabIndex: 0 },
    h('h2', { id: 'preferences-title' }, t.preferences),
    h(
      'div',
      { class: 'answer', role: 'status', 'aria-label': t.answer },
      answer !== '' && h('p', { dir: 'auto' }, answer),
    ),
    isUnreadable && h('p', { class: 'lockdown', role: 'alert' }, t.unreadable),
    preferences === undefined
      ? !isUnreadable && h('p', { class: 'empty' }, t.loading)
      : h(Content, { preferences, command, pending, ask }),
    preferences !== undefined &&
      h(
        'p',
        { class: 'actions' },
        h('button', { type: 'button', class: 'quiet', onClick: () => ask({ kind: 'history' }) }, t.history),
      ),
    h(NotifyButton, null),
    h(Languages, {
      changed: (name) => {
        redraw()
        // The choice is for the chat, so hookgate writes its notices in this language, too.
        command(`/lang ${name}`)
      },
    }),
    h(
      'p',
      { class: 'leave' },
      h('button', { type: 'button', class: 'quiet', onClick: () => logout(false) }, t.logOut),
      h('button', { type: 'button', class: 'quiet', onClick: () => logout(true) }, t.logOutAll),
    ),
  )
