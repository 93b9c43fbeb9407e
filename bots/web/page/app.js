// @ts-check
import { h, render } from 'preact'
import { Chat } from './chat/chat.js'
import { PreferencesPanel } from './preferences/preferences.js'
import { guardButtons } from './button-guard.js'
import { follow, isEnd, post, session } from './session/wire.js'

/** @typedef {'chat' | 'preferences'} TabName */

const start = {
  phase: /** @type {'starting' | 'login' | 'ready'} */ ('starting'),
  /** True while the stream is open. Undefined until the first line arrives. */
  isLive: /** @type {boolean | undefined} */ (undefined),
  problem: '',
  tab: /** @type {TabName} */ ('chat'),
  isUnread: false,
  messages: /** @type {readonly import('../stream.ts').ChatMessage[]} */ ([]),
  isWorking: false,
  /** The notice to which the message box is bound. */
  replyTo: /** @type {import('../stream.ts').ChatMessage | undefined} */ (undefined),
  preferences: /** @type {import('../preferences.ts').ShownPreferences | undefined} */ (undefined),
  isUnreadable: false,
  /**
   * The commands that are being sent. A second tap on one of them is ignored, because a handle works only
   * once.
   */
  pending: /** @type {ReadonlySet<string>} */ (new Set()),
}

let state = start
let unfollow = () => {}

/** @param {Partial<typeof start>} change */
const set = (change) => {
  state = { ...state, ...change }
  draw()
}

/**
 * Adds a message, or replaces the message with the same id. An answered card is replaced by its receipt in
 * this
 * way.
 * @param {typeof start.messages} messages @param {typeof start.messages[number]} message
 */
const withMessage = (messages, message) => {
  const at = messages.findIndex(({ id }) => id === message.id)
  return at < 0 ? [...messages, message].slice(-200) : messages.with(at, message)
}

/** @param {import('../stream.ts').StreamLine} line */
const take = (line) => {
  switch (line.type) {
    case 'history':
      return set({ messages: line.messages })
    case 'message':
      return set({
        messages: withMessage(state.messages, line.message),
        ...(line.message.asksReply === true ? { replyTo: line.message } : {}),
        isUnread: state.isUnread || (state.tab !== 'chat' && line.message.from !== 'you'),
      })
    case 'working':
      return set({ isWorking: line.isWorking })
    case 'preferences':
      return set({ preferences: line.preferences, isUnreadable: false, pending: new Set() })
    case 'preferences_unreadable':
      return set({ isUnreadable: true, pending: new Set() })
    case 'ping':
      return undefined
  }
}

/** @param {string} problem */
const leave = (problem) => {
  unfollow()
  session.clear()
  set({ ...start, phase: 'login', problem })
}

const enter = () => {
  unfollow()
  set({ phase: 'ready' })
  unfollow = follow({
    take,
    link: (isLive) => isLive !== state.isLive && set({ isLive }),
    ended: () => leave('Your session has ended.'),
  })
}

/** @param {string} path @param {object} body */
const send = async (path, body) => {
  const answer = await post(path, body)
  if (answer.isDone) set({ problem: '' })
  else if (isEnd(answer.status)) leave('Your session has ended.')
  else set({ problem: `The message was not sent. ${answer.why}` })
  return answer.isDone
}

/** @param {string} text @param {string} [replyTo] */
const say = (text, replyTo) =>
  send('/api/say', { text, ...(replyTo === undefined ? {} : { reply_to: replyTo }) })

/**
 * Ignores a second tap while the first one is being sent.
 * @param {string} what @param {() => Promise<boolean>} send
 */
const once = async (what, send) => {
  if (state.pending.has(what)) return
  set({ pending: new Set([...state.pending, what]) })
  const forget = () => set({ pending: new Set([...state.pending].filter((other) => other !== what)) })
  if (await send()) setTimeout(forget, 4000)
  else forget()
}

/**
 * Sends a command as the owner's own message. The switch and the rows of the preferences use this.
 * @param {string} text
 */
const command = (text) => once(text, () => say(text))

/** @param {string} press @param {string} messageId */
const tap = (press, messageId) => once(press, () => send('/api/press', { press, message_id: messageId }))

/** @param {boolean} isEverywhere */
const logout = async (isEverywhere) => {
  const answer = await post('/api/logout', isEverywhere ? { everywhere: true } : {})
  if (answer.isDone || isEnd(answer.status)) leave('You are logged out.')
  else set({ problem: `The log-out failed. ${answer.why}` })
}

/** @param {TabName} tab */
const show = (tab) => set(tab === 'chat' ? { tab, isUnread: false } : { tab })

/** @param {KeyboardEvent} event */
const switchTab = (event) => {
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
  const tab = state.tab === 'chat' ? 'preferences' : 'chat'
  show(tab)
  document.getElementById(`${tab}-tab`)?.focus()
}

/** @param {TabName} tab @param {string} name */
const tabButton = (tab, name) =>
  h(
    'button',
    {
      type: 'button',
      role: 'tab',
      id: `${tab}-tab`,
      'aria-controls': tab,
      'aria-selected': state.tab === tab,
      tabIndex: state.tab === tab ? 0 : -1,
      onClick: () => show(tab),
      onKeyDown: switchTab,
    },
    name,
    tab === 'chat' &&
      state.isUnread &&
      h('span', { class: 'dot', role: 'img', 'aria-label': 'new messages' }),
    tab === 'preferences' &&
      (state.preferences?.held.length ?? 0) > 0 &&
      h('span', { class: 'dot', role: 'img', 'aria-label': 'messages wait for you' }),
  )

const Login = () =>
  h(
    'main',
    { class: 'login' },
    h('img', { src: '/page/icon.svg', alt: '', width: 56, height: 56 }),
    h('h1', null, 'hookgate'),
    state.problem !== '' && h('p', { class: 'problem', role: 'alert' }, state.problem),
    h(
      'p',
      null,
      'To log in, press ',
      h('kbd', null, 'Enter'),
      ' in the console where hookgate runs and open the address that it prints.',
    ),
    h('p', { class: 'small' }, 'Each address works once and expires after 5 minutes.'),
  )

const Ready = () =>
  h(
    'div',
    { class: `shell on-${state.tab}` },
    h(
      'header',
      { class: 'bar' },
      h('img', { src: '/page/icon.svg', alt: '', width: 26, height: 26 }),
      h('h1', null, 'hookgate'),
      h(
        'span',
        { class: `link ${state.isLive === true ? 'live' : 'away'}`, role: 'status' },
        state.isLive === true
          ? 'Connected'
          : state.isLive === undefined
            ? 'Connecting …'
            : 'Offline. Reconnecting …',
      ),
    ),
    h(
      'div',
      { class: 'tabs', role: 'tablist' },
      tabButton('chat', 'Chat'),
      tabButton('preferences', 'Preferences'),
    ),
    state.problem !== '' && h('p', { class: 'problem', role: 'alert' }, state.problem),
    h(
      'main',
      { class: 'panels' },
      h(Chat, {
        messages: state.messages,
        isWorking: state.isWorking,
        isShown: state.tab === 'chat',
        say,
        replyTo: state.replyTo,
        unbind: () => set({ replyTo: undefined }),
        pending: state.pending,
        press: (press, id) => void tap(press, id),
      }),
      h(PreferencesPanel, {
        preferences: state.preferences,
        isUnreadable: state.isUnreadable,
        pending: state.pending,
        command: (text) => void command(text),
        logout: (isEverywhere) => void logout(isEverywhere),
      }),
    ),
  )

const root = document.createElement('div')
document.body.append(root)
guardButtons(root)
const draw = () =>
  render(state.phase === 'ready' ? h(Ready, null) : state.phase === 'login' ? h(Login, null) : null, root)

/** Uses the login in the address bar, if there is one. First it removes the login from the address bar. */
const logInFromAddress = async () => {
  const login = location.hash.slice(1)
  if (login === '') return
  history.replaceState(null, '', location.pathname)
  const answer = await post('/api/login', { login })
  if (answer.isDone) {
    if (session.get() !== null) await post('/api/logout', {})
    session.set(/** @type {{ session: string }} */ (answer.value).session)
    enter()
  } else if (session.get() === null) leave(answer.why)
  else set({ problem: answer.why })
}

addEventListener('hashchange', () => void logInFromAddress())
void logInFromAddress().then(() => {
  if (state.phase !== 'starting') return
  if (session.get() === null) leave('')
  else enter()
})
