// @ts-check
import { h } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { withCode } from './text.js'

/** @typedef {import('../stream.ts').ChatMessage} ChatMessage */

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/**
 * A notice begins with a shield in its text, for messengers that show nothing but text. Here the header shows it.
 * @param {ChatMessage} message
 */
const wordsOf = ({ from, text, code }) => {
  const mark = from === 'hookgate' ? (/^\u{1F6E1}\uFE0F? /u.exec(text)?.[0].length ?? 0) : 0
  return withCode(text.slice(mark), code.map(({ offset, length }) => ({ offset: offset - mark, length })))
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
            // What ends protection does not invite.
            class: button.label === 'Revoke' ? 'careful' : rowIndex + index === 0 ? 'primary' : 'quiet',
            'aria-disabled': pending.has(button.press),
            onClick: () => press(button.press, message.id),
          },
          button.label,
        ),
      ),
    ),
  )

/** @param {{ message: ChatMessage } & Presses} props */
const Bubble = ({ message, pending, press }) =>
  h(
    'article',
    { class: `bubble from-${message.from}` },
    h(
      'header',
      null,
      message.from === 'hookgate' && h('img', { src: '/page/icon.svg', alt: '', width: 16, height: 16 }),
      h('span', { class: 'who' }, message.from),
      h('time', { dateTime: new Date(message.atMs).toISOString() }, clock.format(message.atMs)),
    ),
    h('div', { class: 'said', dir: 'auto' }, wordsOf(message)),
    h(Buttons, { message, pending, press }),
  )

/** @param {{ say: (text: string) => Promise<boolean> }} props */
const Composer = ({ say }) => {
  const [draft, setDraft] = useState('')
  const submit = async () => {
    if (draft.trim() === '') return
    setDraft('')
    // A text that was not taken comes back into the box, unless something new stands there.
    if (!(await say(draft))) setDraft((current) => (current === '' ? draft : current))
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
      'aria-label': 'Message',
      placeholder: 'Write, or /hooks',
      rows: 1,
      value: draft,
      dir: 'auto',
      onInput: (/** @type {{ currentTarget: HTMLTextAreaElement }} */ event) => setDraft(event.currentTarget.value),
      onKeyDown: (/** @type {KeyboardEvent} */ event) => {
        // Enter also confirms a word in an input method (229: Safari says so one event late); that is no send.
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
        event.preventDefault()
        void submit()
      },
    }),
    h('button', { type: 'submit', class: 'primary' }, 'Send'),
  )
}

/**
 * @param {{ messages: readonly ChatMessage[], isWorking: boolean, isShown: boolean,
 *   say: (text: string) => Promise<boolean> } & Presses} props
 */
export const Chat = ({ messages, isWorking, isShown, say, pending, press }) => {
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
    // A keyboard that slides in or a turned phone must not leave the newest words behind the edge.
    const keep = () => isAtEnd.current && toEnd()
    addEventListener('resize', keep)
    return () => removeEventListener('resize', keep)
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
        h('p', { class: 'empty' }, 'Nothing was said yet. Write to the agent below, or ', h('code', null, '/hooks'), ' to see what guards it.'),
      messages.map((message) => h(Bubble, { key: message.id, message, pending, press })),
    ),
    h(
      'div',
      { class: 'under' },
      h('div', { class: 'working', role: 'status' }, isWorking && h('i', { 'aria-hidden': true }), isWorking && h('span', null, 'The agent is working …')),
      isBehind && h('button', { type: 'button', class: 'quiet', onClick: toEnd }, 'Newest ↓'),
    ),
    h(Composer, { say }),
  )
}
