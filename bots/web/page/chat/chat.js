// @ts-check
import { h } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Above, Below, formWords } from './forms.js'
import { rich } from '../text.js'

/** @typedef {import('../../stream.ts').ChatMessage} ChatMessage */

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

/** @typedef {{ pending: ReadonlySet<string>, press: (press: string, messageId: string) => void }} Presses */

/** @param {{ message: ChatMessage } & Presses} props */
const Buttons = ({ message, pending, press }) =>
  (message.buttons ?? []).map((row, rowIndex) =>
    h(
      'div',
      { class: 'presses', key: row[0]?.press },
      row.map((button, index) =>
        h(
          'button',
          {
            type: 'button',
            key: button.press,
            // Revoke ends a protection, so it does not look like the main button.
            class: button.label === 'Revoke' ? 'careful' : rowIndex + index === 0 ? 'primary' : 'quiet',
            'data-act': button.press,
            'aria-disabled': pending.has(button.press),
            onClick: () => press(button.press, message.id),
          },
          button.label,
        ),
      ),
    ),
  )

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
    h('span', { class: 'who' }, message.from),
    formWords[message.form ?? ''] !== undefined &&
      h('span', { class: `form is-${message.form}` }, formWords[message.form ?? '']),
    h(
      'time',
      { dateTime: new Date(message.atMs).toISOString() },
      message.isEdited === true && 'edited ',
      clock.format(message.atMs),
    ),
  ),
  h(Above, { key: 'above', message }),
  message.text !== '' && h('div', { key: 'said', class: 'said', dir: 'auto' }, wordsOf(message)),
  h(Below, { key: 'below', message }),
]

/** @param {{ message: ChatMessage } & Presses} props */
const Bubble = ({ message, pending, press }) => {
  const content = useMemo(() => contentOf(message), [message])
  const hasFiles = (message.files ?? []).length > 0
  return h(
    'article',
    { class: `bubble from-${message.from}${hasFiles ? ' with-files' : ''}` },
    content,
    h(Buttons, { message, pending, press }),
  )
}

/**
 * @typedef {{ say: (text: string, replyTo?: string) => Promise<boolean>, replyTo: ChatMessage | undefined,
 *   unbind: () => void }} Talk
 */

/** @param {Talk} props */
const Composer = ({ say, replyTo, unbind }) => {
  const [draft, setDraft] = useState('')
  const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null))
  useEffect(() => {
    if (replyTo !== undefined) box.current?.focus()
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
      'aria-label':
        replyTo === undefined ? 'Message' : 'Reply to the last card. Escape: message to the agent',
      placeholder: replyTo === undefined ? 'Message or /hooks' : 'Your reply to the card (Esc: no reply)',
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
    h('button', { type: 'submit', class: 'primary' }, 'Send'),
  )
}

/**
 * @param {{ messages: readonly ChatMessage[], isWorking: boolean, isShown: boolean } & Talk & Presses} props
 */
export const Chat = ({ messages, isWorking, isShown, pending, press, ...talk }) => {
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
    h('h2', { id: 'chat-title', class: 'unseen' }, 'Chat'),
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
        h(
          'p',
          { class: 'empty' },
          'There are no messages since hookgate started. Write to the agent below, or write ',
          h('code', null, '/hooks'),
          ' to see its hooks.',
        ),
      messages.map((message) => h(Bubble, { key: message.id, message, pending, press })),
    ),
    h(
      'div',
      { class: 'under' },
      h(
        'div',
        { class: 'working', role: 'status' },
        isWorking && h('i', { 'aria-hidden': true }),
        isWorking && h('span', null, 'The agent is working …'),
      ),
      isBehind && h('button', { type: 'button', class: 'quiet', onClick: toEnd }, 'Newest ↓'),
    ),
    h(Composer, talk),
  )
}
