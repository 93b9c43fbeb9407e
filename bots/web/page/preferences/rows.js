// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { actButton, actions, button, e, section } from '../elements.js'
import { t } from '../language/language.js'
import { shortName, visible } from '../text.js'

/**
 * @typedef {import('../../preferences.ts').PreferenceRow} PreferenceRow
 * @typedef {import('../elements.js').CommandProps & { ask: (asked: import('../dialogs.js').Asked) => void }}
 *   RowProps
 */

/** A group shows so many rows at first, and one more where only one would be left. */
const shownAtFirst = 3
/** A row shows so many warnings, of so many characters each. Its details have all of them, whole. */
const maxWarnings = 3
const maxWarningUnits = 300

/** @param {string} text */
const beginningOf = (text) =>
  visible(text.length <= maxWarningUnits ? text : `${text.slice(0, maxWarningUnits - 1).toWellFormed()}…`)

/** @param {PreferenceRow} row */
const toneOf = (row) => {
  if (row.isStopped === true || (!row.isApproved && !row.canApprove)) return 'invalid'
  if (row.canApprove) return 'waiting'
  return row.isLive ? 'live' : 'approved'
}

/** Its group says enough of its status. @param {PreferenceRow} row */
const isPlain = (row) => row.isLive || (row.canApprove && row.isChanged !== true)

/** @param {PreferenceRow} row */
const nameOf = (row) => shortName(row.name ?? row.command)

/**
 * All that an approval binds, and the files.
 * @param {PreferenceRow} row @param {{ isOpen: boolean, setOpen: (isOpen: boolean) => void }} state
 * @param {import('../elements.js').Children} sourceButton
 */
const detailsOf = (row, { isOpen, setOpen }, sourceButton) =>
  e(
    'details.bound',
    {
      open: isOpen,
      onToggle: (/** @type {{ currentTarget: HTMLDetailsElement }} */ event) =>
        setOpen(event.currentTarget.open),
    },
    e('summary', t.details),
    e('p.top', e('span.event', visible(row.event)), e('span.handle', row.handle)),
    e('code.command', visible(row.command)),
    row.details.length > 0 &&
      e(
        'ul.details',
        row.details.map((detail, index) => e('li', { key: index }, visible(detail))),
      ),
    sourceButton,
  )

/** @param {PreferenceRow} row */
const factsOf = ({ when, fails }) =>
  (when ?? fails) !== undefined &&
  e(
    'dl.facts',
    when !== undefined && [e('dt', { key: 'when' }, t.whenAsked), e('dd', { key: 'asked' }, when)],
    fails !== undefined && [e('dt', { key: 'fails' }, t.ifItFails), e('dd', { key: 'then' }, fails)],
  )

/**
 * A hook as a row that opens. What hookgate does not ship is approved only after its details were open. They
 * were open for one handle, and a handle stands for exactly what the row shows.
 * @param {{ row: PreferenceRow } & RowProps} props
 */
const Row = ({ row, command, pending, ask }) => {
  const { handle } = row
  const [isOpen, setOpen] = useState(false)
  const [readHandle, setRead] = useState('')
  const isRead = row.isShipped === true || readHandle === handle
  const name = nameOf(row)
  const isChanged = row.isChanged === true && row.canApprove
  const approve = row.canApprove ? `/hooks approve ${handle}` : undefined
  const open = (/** @type {boolean} */ is) => {
    setOpen(is)
    if (is) setRead(handle)
  }
  // Each button has a key of its own, so that it never becomes another one while it has the focus.
  /** @param {string} label @param {string} fullName @param {string} look */
  const sourceButton = (label, fullName, look) =>
    button(
      look,
      label,
      () => ask({ kind: 'source', handle, name, isChanged, approve: isRead ? approve : undefined }),
      { key: label, 'aria-label': fullName },
    )
  /** @param {string} look @param {string} label @param {string} fullName @param {string} act @param {() => void} [run] */
  const act = (look, label, fullName, act, run = () => command(act)) =>
    actButton(look, label, act, run, { pending, name: fullName, key: label })
  const revoke = `/hooks revoke ${handle}`
  const buttons = [
    isChanged && sourceButton(t.whatChanged, t.whatChangedHook(name), 'quiet'),
    approve !== undefined &&
      (isRead
        ? act('primary', t.approve, t.approveHook(name), approve)
        : act('quiet', t.approve, t.approveHook(name), `read ${handle}`, () => open(true))),
    row.canTry === true && act('quiet', t.try, t.tryHook(name), `/hooks try ${handle}`),
    row.canPromote === true && act('quiet', t.promote, t.promoteHook(name), `/hooks promote ${handle}`),
    row.isApproved &&
      act('careful', t.revoke, t.revokeHook(name), revoke, () =>
        ask({ kind: 'revoke', name, act: revoke, run: () => command(revoke) }),
      ),
  ]
  return e(
    `li.row.${toneOf(row)}`,
    // The label contains only the handle, so that the text of a file cannot name a control.
    { 'aria-label': t.hookLabel(handle) },
    e(
      'details.hook',
      e(
        'summary',
        e('span.sign', { role: 'img', 'aria-label': row.status }),
        e('h4.hook-name', { dir: 'auto' }, name),
        e('span.small', row.fired ?? row.when ?? visible(row.event)),
      ),
      isPlain(row) ? null : e('p.pill', row.status),
      row.description !== undefined && e('p.says', { dir: 'auto' }, visible(row.description)),
      factsOf(row),
      (row.warnings ?? [])
        .slice(0, maxWarnings)
        .map((warning, index) =>
          e('p.warns', { key: `warning ${index}`, dir: 'auto' }, beginningOf(warning)),
        ),
      detailsOf(
        row,
        { isOpen, setOpen: open },
        row.hasFiles === true && actions(sourceButton(t.source, t.sourceHook(name), 'quiet')),
      ),
      handle !== '' && actions(buttons),
      approve !== undefined && !isRead && e('p.small', t.readFirst),
    ),
  )
}

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

/** @typedef {ReturnType<typeof keyed>} KeyedRows */

/** @param {{ all: KeyedRows } & RowProps} props */
const Rows = ({ all, ...props }) => {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole || all.length <= shownAtFirst + 1 ? all : all.slice(0, shownAtFirst)
  const left = all.length - shown.length
  return [
    e(
      'ul.rows',
      { key: 'rows' },
      shown.map(({ row, key }) => h(Row, { key, row, ...props })),
    ),
    left > 0 && button('quiet.more', t.moreHooks(left), () => setWhole(true), { key: 'more' }),
  ]
}

/** @param {string} id @param {string} title @param {KeyedRows} all @param {RowProps} props */
const group = (id, title, all, props) =>
  all.length > 0 && section('group', id, title, h(Rows, { all, ...props }))

/**
 * The hooks in three groups: those that wait for a decision, those that an owner approved, and those that
 * cannot be used. The last one of a file is the newest proposal, so it comes first.
 * @param {readonly PreferenceRow[]} rows @param {RowProps} props
 */
export const hookGroups = (rows, props) => {
  const all = keyed(rows)
  const others = all.filter(({ row }) => !row.canApprove)
  /** @param {boolean} isApproved */
  const thatAre = (isApproved) => others.filter(({ row }) => row.isApproved === isApproved)
  return [
    group('waiting-title', t.waitingHooks, all.filter(({ row }) => row.canApprove).toReversed(), props),
    group('approved-title', t.approvedHooks, thatAre(true), props),
    group('broken-title', t.brokenHooks, thatAre(false), props),
  ]
}
