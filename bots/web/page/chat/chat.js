// @ts-check
import { h } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { language, t } from '../language/language.js'
import { Above, Below, formWord } from './forms.js'
import { rich, shortName } from '../text.js'

/** @typedef {import('../../stream.ts').ChatMessage} ChatMessage */

/** The time of day as this browser writes it. */
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/**
 * The text of a message in elements. The text of a notice begins with a shield for messengers that show only
 * text.
 * The page shows the shield in the header, so it is removed from the text here.
 * @param {ChatMessage} message
 */
const wordsOf = ({ from, text, code, marks = [] }) => {
  const shieldLength = from === 'hookgate' ? (/^\u{1F6E1}\uFE0F? /u.exec(text)?.[0].length ?? 0) : 0
  return rich(
    text.slice(shieldLength),
    marks,
    code.map(({ offset, length }) => ({ offset: offset - shieldLength, length })),
  )
}

/**
 * @typedef {{ pending: ReadonlySet<string>, press: (press: string, messageId: string) => void,
 *   ask: (asked: import('../dialogs.js').Asked) => void }} Presses
 */

/** The acts that concern the hook of their card, so that the button names it. */
const actsOfHook = new Set(['approve', 'close', 'promote', 'revoke', 'show', 'diff', 'try', 'wait'])

/** @param {{ message: ChatMessage } & Presses} props */
const Buttons = ({ message, pending, press, ask }) => {
  const { id, hook, buttons = [] } = message
  const name = hook === undefined ? undefined : shortName(hook.name)
  /** @param {{ label: string, press: string, act?: string }} button @param {string} look */
  const button = ({ label, press: data, act = '' }, look) => {
    const tap = () => press(data, id)
    return h(
      'button',
      {
        type: 'button',
        key: data,
        class: act === 'revoke' ? 'careful' : look,
        ...(name === undefined || !actsOfHook.has(act) ? {} : { 'aria-label': t.buttonOf(label, name) }),
        'data-act': data,
        'aria-disabled': pending.has(data),
        onClick: () =>
          act === 'revoke' ? ask({ kind: 'revoke', name: name ?? '', act: data, run: tap }) : tap(),
      },
      label,
    )
  }
  const source = () => hook !== undefined && ask({ kind: 'source', handle: hook.handle, name: name ?? '' })
  return [
    hook !== undefined &&
      h(
        'div',
        { class: 'source-of', key: 'source' },
        h(
          'button',
          {
            type: 'button',
            class: 'quiet',
            'aria-label': t.sourceHook(name ?? ''),
            onClick: source,
          },
          t.source,
        ),
      ),
    ...buttons.map((row, rowIndex) =>
      h(
        'div',
        { class: 'presses', key: row[0]?.press },
        row.map((one, index) =>
          button(one, rowIndex + index === 0 && one.act !== 'fill' ? 'primary' : 'quiet'),
        ),
      ),
    ),
  ]
}

/**
 * The content of a bubble without its buttons. It is made once for each message, because every change draws
 * the
 * whole chat again.
 * @param {ChatMessage} message
 */
const contentOf = (message) => [
  h(
    'header',
    { key: 'header' },
    message.from === 'hookgate' && h('img', { src: '/page/icon.svg', alt: '', width: 16, height: 16 }),
    h('span', { class: 'who' }, t[message.from]),
    formWord(message.form) !== undefined &&
      h('span', { class: `form is-${message.form}` }, formWord(message.form)),
    h(
      'time',
      { dateTime: new Date(message.atMs).toISOString() },
      message.isEdited === true && t.edited,
      clock.format(message.atMs),
    ),
  ),
  h(Above, { key: 'above', message }),
  message.text !== '' && h('div', { key: 'said', class: 'said', dir: 'auto' }, wordsOf(message)),
  h(Below, { key: 'below', message }),
]

/** @param {{ message: ChatMessage } & Presses} props */
const Bubble = ({ message, pending, press, ask }) => {
  const content = useMemo(() => contentOf(message), [message, language])
  const hasFiles = (message.files ?? []).length > 0
  return h(
    'article',
    { class: `bubble from-${message.from}${hasFiles ? ' with-files' : ''}` },
    content,
    h(Buttons, { message, pending, press, ask }),
  )
}

/**
 * The text with which a reply to a notice begins: the argument that the notice shows, if it is on one line
 * and as it is.
 * @param {ChatMessage} notice
 */
const beginningOf = ({ text }) => /^│ [^\n:⟪]+: ([^\n⟪]+)$/mu.exec(text)?.[1] ?? ''

/**
 * @typedef {{ say: (text: string, replyTo?: string) => Promise<boolean>, replyTo: ChatMessage | undefined,
 *   unbind: () => void }} Talk
 */

/** @param {Talk} props */
const Composer = ({ say, replyTo, unbind }) => {
  const [draft, setDraft] = useState('')
  const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null))
  useEffect(() => {
    if (replyTo === undefined) return
    setDraft((current) => (current === '' ? beginningOf(replyTo) : current))
    box.current?.focus()
  }, [replyTo])
  const submit = async () => {
    if (draft.trim() === '') return
    setDraft('')
    // When the message was not sent, its text returns to the box, unless the box has a new text.
    if (await say(draft, replyTo?.id)) unbind()
    else setDraft((current) => (current === '' ? draft : current))
  }
  return h(
    'form',
    {
      class: 'composer',
      onSubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        void submit()
      },
    },
    h('textarea', {
      ref: box,
      id: 'message-box',
      'aria-label': replyTo === undefined ? t.message : t.reply,
      placeholder: replyTo === undefined ? t.messageHint : t.replyHint,
      rows: 1,
      value: draft,
      dir: 'auto',
      onInput: (/** @type {{ currentTarget: HTMLTextAreaElement }} */ event) =>
        setDraft(event.currentTarget.value),
      onKeyDown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Escape') unbind()
        // Enter also confirms a word in an input method, and then it does not send. Safari shows this only by
        // key code 229.
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
        event.preventDefault()
        void submit()
      },
    }),
    h('button', { type: 'submit', class: 'primary' }, t.send),
  )
}

/**
 * @param {{ messages: readonly ChatMessage[], isWorking: boolean, isShown: boolean } & Talk & Presses} props
 */
export const Chat = ({ messages, isWorking, isShown, pending, press, ask, ...talk }) => {
  const log = useRef(/** @type {HTMLDivElement | null} */ (null))
  const isAtEnd = useRef(true)
  const [isBehind, setBehind] = useState(false)
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

  return h(
    'section',
    { id: 'chat', class: 'panel chat', 'aria-labelledby': 'chat-title' },
    h('h2', { id: 'chat-title', class: 'unseen' }, t.chat),
    h(
      'div',
      {
        class: 'log',
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
        h('p', { class: 'empty' }, t.noMessagesBefore, h('code', null, '/hooks'), t.noMessagesAfter),
      messages.map((message) => h(Bubble, { key: message.id, message, pending, press, ask })),
    ),
    h(
      'div',
      { class: 'under' },
      h(
        'div',
        { class: 'working', role: 'status' },
        isWorking && h('i', { 'aria-hidden': true }),
        isWorking && h('span', null, t.working),
      ),
      isBehind && h('button', { type: 'button', class: 'quiet', onClick: toEnd }, t.newest),
    ),
    h(Composer, talk),
  )
}
