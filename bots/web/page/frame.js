// @ts-check
import { h } from 'preact'
import { Chat } from './chat/chat.js'
import { WaitLine } from './chat/waiting.js'
import { Dialogs } from './dialogs.js'
import { e, problemLine } from './elements.js'
import { t } from './language/language.js'
import { PreferencesPanel } from './preferences/preferences.js'

/**
 * @typedef {import('./app.js').State} State
 * @typedef {{ state: State, actions: import('./app.js').Actions }} Props
 */

/** @param {State['isLive']} isLive */
const linkWords = (isLive) =>
  isLive === true ? t.connected : isLive === undefined ? t.connecting : t.offline

/** @param {Props} props */
const Tabs = ({ state, actions }) => {
  /** @param {KeyboardEvent} event */
  const switchTab = (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const tab = state.tab === 'chat' ? 'preferences' : 'chat'
    actions.show(tab)
    document.getElementById(`${tab}-tab`)?.focus()
  }
  /** @param {State['tab']} tab @param {string} name @param {string} news */
  const tabButton = (tab, name, news) =>
    e(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `${tab}-tab`,
        'aria-controls': tab,
        'aria-selected': state.tab === tab,
        tabIndex: state.tab === tab ? 0 : -1,
        onClick: () => actions.show(tab),
        onKeyDown: switchTab,
      },
      name,
      news !== '' && e('span.dot', { role: 'img', 'aria-label': news }),
    )
  const isHeld = (state.preferences?.held.length ?? 0) > 0
  return e(
    'div.tabs',
    { role: 'tablist' },
    tabButton('chat', t.chat, state.isUnread ? t.newMessages : ''),
    tabButton('preferences', t.preferences, isHeld ? t.messagesWait : ''),
  )
}

/** The page of an owner who is logged in. @param {Props} props */
export const Frame = ({ state, actions }) => {
  const { messages, isWorking, replyTo, pending, preferences, isUnreadable, answer, asked } = state
  const { say, unbind, press, command, ask, logout, redraw } = actions
  const skip = (/** @type {Event} */ event) => {
    // The address never gets a part after `#`, because a login comes in that way.
    event.preventDefault()
    actions.show('chat')
    document.getElementById('message-box')?.focus()
  }
  return e(
    `div.shell.on-${state.tab}`,
    e('a.skip', { href: '#message-box', onClick: skip }, t.skip),
    e(
      'header.bar',
      e('img', { src: '/page/icon.svg', alt: '', width: 26, height: 26 }),
      e('h1', 'hookgate'),
      e(`span.link.${state.isLive === true ? 'live' : 'away'}`, { role: 'status' }, linkWords(state.isLive)),
    ),
    e(
      'main.content',
      h(Tabs, { state, actions }),
      problemLine(state.problem),
      h(WaitLine, { messages, toChat: () => actions.show('chat') }),
      e(
        'div.panels',
        h(Chat, {
          messages,
          isWorking,
          isShown: state.tab === 'chat',
          preferences,
          command,
          say,
          replyTo,
          unbind,
          pending,
          press,
          ask,
        }),
        h(PreferencesPanel, {
          preferences,
          isUnreadable,
          answer,
          pending,
          command,
          ask,
          logout,
          redraw,
        }),
      ),
    ),
    asked !== undefined && h(Dialogs, { asked, command, pending, onClose: () => ask(undefined) }),
  )
}
