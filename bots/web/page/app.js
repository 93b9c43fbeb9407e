// @ts-check
import { h, render } from 'preact'
import { guardButtons } from './button-guard.js'
import { keepFocus } from './focus.js'
import { Frame } from './frame.js'
import { startLanguage, t, useZone } from './language/language.js'
import { isRemote, Login, Outsider } from './login/login.js'
import { notifyOf } from './notify/notify.js'
import { follow, isEnd, post, session } from './session/wire.js'
import { withoutShield } from './text.js'

/** @typedef {'chat' | 'preferences'} TabName */

/** The beginning of the one-time part of a link that makes a passkey. */
const registering = 'register-'
/** So many messages that came while the connection was lost are worth a notification. */
const maxMissed = 3
/** The longest part of an answer that the preferences show. The chat has all of it. */
const maxAnswerUnits = 300

const start = {
  phase: /** @type {'starting' | 'login' | 'ready'} */ ('starting'),
  /** True while the stream is open. Undefined until the first line arrives. */
  isLive: /** @type {boolean | undefined} */ (undefined),
  /** The person of this page is no owner. */
  isOutsider: false,
  problem: '',
  /** The one-time part of a link that makes a passkey. */
  register: /** @type {string | undefined} */ (undefined),
  tab: /** @type {TabName} */ ('chat'),
  isUnread: false,
  messages: /** @type {readonly import('../stream.ts').ChatMessage[]} */ ([]),
  isWorking: false,
  /** The notice to which the message box is bound. */
  replyTo: /** @type {import('../stream.ts').ChatMessage | undefined} */ (undefined),
  preferences: /** @type {import('../preferences.ts').ShownPreferences | undefined} */ (undefined),
  isUnreadable: false,
  /** What hookgate answered last to a button of the preferences. */
  answer: '',
  /** The dialog that is open. */
  asked: /** @type {import('./dialogs.js').Asked | undefined} */ (undefined),
  /** The commands that are being sent. A second tap on one is ignored: a handle works only once. */
  pending: /** @type {ReadonlySet<string>} */ (new Set()),
}

/** @typedef {typeof start} State */

let state = start
let unfollow = () => {}
/** A button of the preferences was tapped, so the next notice of hookgate is its answer. */
let isAnswerDue = false

/** @param {Partial<State>} change */
const set = (change) => {
  state = { ...state, ...change }
  redraw()
}

/**
 * Adds a message, or replaces the message with the same id. An answered card becomes its receipt in this way.
 * @param {State['messages']} messages @param {State['messages'][number]} message
 */
const withMessage = (messages, message) => {
  const at = messages.findIndex(({ id }) => id === message.id)
  return at < 0 ? [...messages, message].slice(-200) : messages.with(at, message)
}

/** @param {State['messages'][number]} message */
const takeMessage = (message) => {
  const isAnswer = isAnswerDue && message.from === 'hookgate'
  if (isAnswer) isAnswerDue = false
  const answer = withoutShield(message.text).slice(0, maxAnswerUnits).toWellFormed()
  notifyOf(message)
  set({
    messages: withMessage(state.messages, message),
    ...(message.asksReply === true ? { replyTo: message } : {}),
    isUnread: state.isUnread || (state.tab !== 'chat' && message.from !== 'you'),
    ...(isAnswer ? { answer } : {}),
  })
}

/**
 * Notifies of the last messages that came while the connection was lost.
 * @param {State['messages']} messages
 */
const notifyOfMissed = (messages) => {
  if (state.messages.length === 0) return
  const known = new Set(state.messages.map(({ id }) => id))
  for (const message of messages.filter(({ id }) => !known.has(id)).slice(-maxMissed)) notifyOf(message)
}

/** @param {import('../stream.ts').StreamLine} line */
const take = (line) => {
  switch (line.type) {
    case 'history':
      notifyOfMissed(line.messages)
      return set({ messages: line.messages, isOutsider: false })
    case 'message':
      return takeMessage(line.message)
    case 'working':
      return set({ isWorking: line.isWorking })
    case 'preferences':
      startLanguage(line.preferences.lang)
      useZone(line.preferences.zone)
      return set({ preferences: line.preferences, isUnreadable: false, pending: new Set() })
    case 'preferences_unreadable':
      return set({ isUnreadable: true, pending: new Set() })
    case 'outsider':
      return set({ ...start, phase: 'ready', isLive: state.isLive, isOutsider: true })
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
  set({ phase: 'ready', register: undefined })
  unfollow = follow({
    take,
    link: (isLive) => isLive !== state.isLive && set({ isLive }),
    ended: () => leave(t.sessionEnded),
  })
}

/** @param {string} path @param {object} body */
const send = async (path, body) => {
  const answer = await post(path, body)
  if (answer.isDone) set({ problem: '' })
  else if (isEnd(answer.status)) leave(t.sessionEnded)
  else set({ problem: t.notSent(answer.why) })
  return answer.isDone
}

/** @param {string} text @param {string} [replyTo] */
const say = (text, replyTo) => send('/api/say', { text, reply_to: replyTo })

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

/** @param {boolean} isEverywhere */
const logout = async (isEverywhere) => {
  const answer = await post('/api/logout', isEverywhere ? { everywhere: true } : {})
  if (answer.isDone || isEnd(answer.status)) leave(t.loggedOut)
  else set({ problem: t.logOutFailed(answer.why) })
}

const actions = {
  say,
  /** Sends a command as the owner's own message. The switch and the rows of the preferences use this. */
  command: (/** @type {string} */ text) => {
    isAnswerDue = true
    void once(text, () => say(text))
  },
  press: (/** @type {string} */ press, /** @type {string} */ messageId) =>
    void once(press, () => send('/api/press', { press, message_id: messageId })),
  /** The message box is bound to no notice any longer. */
  unbind: () => set({ replyTo: undefined }),
  /** Opens a dialog, or closes the one that is open. */
  ask: (/** @type {State['asked']} */ asked) => set({ asked }),
  show: (/** @type {TabName} */ tab) => set(tab === 'chat' ? { tab, isUnread: false } : { tab }),
  logout: (/** @type {boolean} */ isEverywhere) => void logout(isEverywhere),
  redraw: () => redraw(),
}

/** @typedef {typeof actions} Actions */

/** Opens a session that this page got just now, and ends the one before. @param {string} opened */
const open = async (opened) => {
  if (session.get() !== null) await post('/api/logout', {})
  session.set(opened)
  enter()
}

const view = () => {
  if (state.phase === 'starting') return null
  if (state.phase === 'login')
    return h(Login, {
      problem: state.problem,
      register: state.register,
      opened: (opened) => void open(opened),
      redraw: actions.redraw,
    })
  if (!state.isOutsider) return h(Frame, { state, actions })
  return h(Outsider, {
    problem: state.problem,
    messages: state.messages,
    say,
    logout: () => actions.logout(false),
    redraw: actions.redraw,
  })
}

startLanguage()
const root = document.createElement('div')
document.body.append(root)
guardButtons(root)
const redraw = () => keepFocus(root, () => render(view(), root))

/** Uses the login in the address bar, if there is one. First it removes the login from the address bar. */
const logInFromAddress = async () => {
  const login = location.hash.slice(1)
  if (login === '') return
  history.replaceState(null, '', location.pathname)
  if (login.startsWith(registering)) {
    // The device asks the person only after a tap.
    unfollow()
    return set({ ...start, phase: 'login', register: login.slice(registering.length) })
  }
  const answer = await post('/api/login', { login })
  if (answer.isDone) return open(/** @type {{ session: string }} */ (answer.value).session)
  if (session.get() === null) leave(answer.why)
  else set({ problem: answer.why })
}

if (isRemote()) {
  const manifest = document.createElement('link')
  manifest.rel = 'manifest'
  manifest.href = '/page/manifest.webmanifest'
  document.head.append(manifest)
}
addEventListener('hashchange', () => void logInFromAddress())
void logInFromAddress().then(() => {
  if (state.phase !== 'starting') return
  if (session.get() === null) leave('')
  else enter()
})
