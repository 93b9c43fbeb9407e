// @ts-check
import { h } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { actButton, bound, button, e, form } from '../elements.js'
import { language, t, timeWords, zone } from '../language/language.js'
import { Above, Below, formWord } from './forms.js'
import { Start } from './start.js'
import { rich, shortName, withoutShield } from '../text.js'

/**
 * @typedef {import('../../stream.ts').ChatMessage} ChatMessage
 * @typedef {{ pending: ReadonlySet<string>, press: (press: string, messageId: string) => void,
 *   ask: (asked: import('../dialogs.js').Asked) => void }} Presses
 * @typedef {{ say: (text: string, replyTo?: string) => Promise<boolean>, replyTo: ChatMessage | undefined,
 *   unbind: () => void }} Talk
 */

/**
 * The text of a message in elements. The page shows the shield of a notice in the header, not in the text.
 * @param {ChatMessage} message
 */
const wordsOf = ({ from, text, code, marks = [] }) => {
  const shown = from === 'hookgate' ? withoutShield(text) : text
  const cut = text.length - shown.length
  return rich(
    shown,
    marks,
    code.map(({ offset, length }) => ({ offset: offset - cut, length })),
  )
}

/** The acts that concern the hook of their card, so that the button names it. */
const actsOfHook = new Set(['approve', 'close', 'promote', 'revoke', 'show', 'diff', 'try', 'wait'])

/** A yes and a no, which have one weight: nothing draws the finger to either. */
const choices = new Set('allow deny approve close wait release withhold confirm keep'.split(' '))

/** What a card suggests, in its first row. */
const suggestions = new Set('on promote run'.split(' '))

/** @param {string} act @param {boolean} isFirst its row is the first one */
const lookOf = (act, isFirst) => {
  if (act === 'revoke') return 'careful'
  if (choices.has(act)) return 'choice'
  return isFirst && suggestions.has(act) ? 'primary' : 'quiet'
}

/** @param {{ message: ChatMessage } & Presses} props */
const Buttons = ({ message: { id, hook, buttons = [] }, pending, press, ask }) => {
  const name = hook === undefined ? '' : shortName(hook.name)
  /** @param {{ label: string, press: string, act?: string }} one @param {string} look */
  const pressButton = ({ label, press: data, act = '' }, look) => {
    const tap = () => press(data, id)
    const run = act === 'revoke' ? () => ask({ kind: 'revoke', name, act: data, run: tap }) : tap
    const fullName = hook === undefined || !actsOfHook.has(act) ? undefined : t.buttonOf(label, name)
    return actButton(look, label, data, run, { pending, name: fullName, key: data })
  }
  return [
    hook !== undefined &&
      e(
        'div.source-of',
        { key: 'source' },
        button('quiet', t.source, () => ask({ kind: 'source', handle: hook.handle, name }), {
          'aria-label': t.sourceHook(name),
        }),
      ),
    ...buttons.map((row, rowIndex) =>
      e(
        rowIndex === 0 && row.length > 1 ? 'div.presses.even' : 'div.presses',
        { key: row[0]?.press },
        row.map((one) => pressButton(one, lookOf(one.act ?? '', rowIndex === 0))),
      ),
    ),
  ]
}

/**
 * The content of a bubble without its buttons. It is made once for each message, because every change draws
 * the whole chat again.
 * @param {ChatMessage} message
 */
const contentOf = (message) => [
  e(
    'header',
    { key: 'header' },
    message.from === 'hookgate' && e('img', { src: '/page/icon.svg', alt: '', width: 16, height: 16 }),
    e('span.who', t[message.from]),
    formWord(message.form) !== undefined && e(`span.form.is-${message.form}`, formWord(message.form)),
    e(
      'time',
      { dateTime: new Date(message.atMs).toISOString() },
      message.isEdited === true && t.edited,
      message.isUnkept === true && t.unkept,
      timeWords(message.atMs),
    ),
  ),
  h(Above, { key: 'above', message }),
  message.text !== '' && e('div.said', { key: 'said', dir: 'auto' }, wordsOf(message)),
  h(Below, { key: 'below', message }),
]

/** @param {{ message: ChatMessage } & Presses} props */
const Bubble = ({ message, ...presses }) => {
  const content = useMemo(() => contentOf(message), [message, language, zone])
  const look = (message.files ?? []).length > 0 ? '.with-files' : ''
  return e(
    `article.bubble.from-${message.from}${look}`,
    { id: message.id, tabIndex: message.isPinned === true ? -1 : undefined },
    content,
    h(Buttons, { message, ...presses }),
  )
}

/**
 * The text with which a reply to a notice begins: the argument that the notice shows, if it is on one line
 * and as it is.
 * @param {ChatMessage} notice
 */
const beginningOf = ({ text }) => /^│ [^\n:⟪]+: ([^\n⟪]+)$/mu.exec(text)?.[1] ?? ''

/** @param {{ begun: { readonly text: string } } & Talk} props `begun`: a text that the box begins with */
const Composer = ({ begun, say, replyTo, unbind }) => {
  const [draft, setDraft] = useState('')
  const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null))
  useEffect(() => {
    if (replyTo === undefined) return
    setDraft((current) => (current === '' ? beginningOf(replyTo) : current))
    box.current?.focus()
  }, [replyTo])
  useEffect(() => {
    if (begun.text === '') return
    setDraft(begun.text)
    box.current?.focus()
  }, [begun])
  const submit = async () => {
    if (draft.trim() === '') return
    setDraft('')
    // When the message was not sent, its text returns to the box, unless the box has a new text.
    if (await say(draft, replyTo?.id)) unbind()
    else setDraft((current) => (current === '' ? draft : current))
  }
  return form(
    'composer',
    {},
    submit,
    e('textarea', {
      ref: box,
      id: 'message-box',
      'aria-label': replyTo === undefined ? t.message : t.reply,
      placeholder: replyTo === undefined ? t.messageHint : t.replyHint,
      rows: 1,
      dir: 'auto',
      ...bound(draft, setDraft),
      onKeyDown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Escape') unbind()
        // Enter also confirms a word in an input method, and then it does not send. Safari shows this only by
        // key code 229.
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
        event.preventDefault()
        void submit()
      },
    }),
    e('button.primary', { type: 'submit' }, t.send),
  )
}

/**
 * @param {{ messages: readonly ChatMessage[], isWorking: boolean, isShown: boolean } & Talk & Presses
 *   & Pick<import('./start.js').StartProps, 'preferences' | 'command'>} props
 */
export const Chat = ({
  messages,
  isWorking,
  isShown,
  preferences,
  command,
  pending,
  press,
  ask,
  ...talk
}) => {
  const log = useRef(/** @type {HTMLDivElement | null} */ (null))
  const isAtEnd = useRef(true)
  const [isBehind, setBehind] = useState(false)
  const [begun, begin] = useState({ text: '' })
  const toEnd = () => log.current?.scrollTo({ top: log.current.scrollHeight })

  const last = messages.at(-1)
  useLayoutEffect(() => {
    if (isAtEnd.current || last?.from === 'you') toEnd()
    else setBehind(true)
  }, [last, isWorking, isShown])
  useEffect(() => {
    // The newest message stays visible when a screen keyboard opens or a phone is rotated.
    const stayAtEnd = () => isAtEnd.current && toEnd()
    addEventListener('resize', stayAtEnd)
    return () => removeEventListener('resize', stayAtEnd)
  }, [])

  return e(
    'section.panel.chat',
    { id: 'chat', 'aria-labelledby': 'chat-title' },
    e('h2.unseen', { id: 'chat-title' }, t.chat),
    e(
      'div.log',
      {
        role: 'log',
        'aria-live': 'polite',
        'aria-labelledby': 'chat-title',
        tabIndex: 0,
        ref: log,
        onScroll: (/** @type {{ currentTarget: HTMLDivElement }} */ { currentTarget: box }) => {
          isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 48
          if (isAtEnd.current) setBehind(false)
        },
      },
      messages.length === 0 &&
        h(Start, { preferences, command, pending, ask, begin: (text) => begin({ text }) }),
      messages.map((message) => h(Bubble, { key: message.id, message, pending, press, ask })),
    ),
    e(
      'div.under',
      e(
        'div.working',
        { role: 'status' },
        isWorking && e('i', { 'aria-hidden': true }),
        isWorking && e('span', t.working),
      ),
      isBehind && button('quiet', t.newest, toEnd),
    ),
    h(Composer, { begun, ...talk }),
  )
}
