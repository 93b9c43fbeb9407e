// @ts-check
import { h } from 'preact'
import { Chat } from './chat/chat.js'
import { Dialogs } from './dialogs.js'
import { t } from './language/language.js'
import { PreferencesPanel } from './preferences/preferences.js'

/**
 * @typedef {import('./app.js').State} State
 * @typedef {import('./app.js').Actions} Actions
 * @typedef {import('./app.js').TabName} TabName
 * @typedef {{ state: State, actions: Actions }} Props
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
  /** @param {TabName} tab @param {string} name @param {string} news */
  const button = (tab, name, news) =>
    h(
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
      news !== '' && h('span', { class: 'dot', role: 'img', 'aria-label': news }),
    )
  return h(
    'div',
    { class: 'tabs', role: 'tablist' },
    button('chat', t.chat, state.isUnread ? t.newMessages : ''),
    button('preferences', t.preferences, (state.preferences?.held.length ?? 0) > 0 ? t.messagesWait : ''),
  )
}

/** @param {Props} props */
const Panels = ({ state, actions }) => [
  h(Chat, {
    key: 'chat',
    messages: state.messages,
    isWorking: state.isWorking,
    isShown: state.tab === 'chat',
    say: actions.say,
    replyTo: state.replyTo,
    unbind: actions.unbind,
    pending: state.pending,
    press: actions.press,
    ask: actions.ask,
  }),
  h(PreferencesPanel, {
    key: 'preferences',
    preferences: state.preferences,
    isUnreadable: state.isUnreadable,
    answer: state.answer,
    pending: state.pending,
    command: actions.command,
    ask: actions.ask,
    logout: actions.logout,
    redraw: actions.redraw,
  }),
]

/** The page of an owner who is logged in. @param {Props} props */
export const Frame = ({ state, actions }) =>
  h(
    'div',
    { class: `shell on-${state.tab}` },
    h(
      'a',
      {
        class: 'skip',
        href: '#message-box',
        onClick: (/** @type {Event} */ event) => {
          // The address never gets a part after `#`, because a login comes in that way.
          event.preventDefault()
          actions.show('chat')
          document.getElementById('message-box')?.focus()
        },
      },
      t.skip,
    ),
    h(
      'header',
      { class: 'bar' },
      h('img', { src: '/page/icon.svg', alt: '', width: 26, height: 26 }),
      h('h1', null, 'hookgate'),
      h(
        'span',
        { class: `link ${state.isLive === true ? 'live' : 'away'}`, role: 'status' },
        linkWords(state.isLive),
      ),
    ),
    h(
      'main',
      { class: 'content' },
      h(Tabs, { state, actions }),
      state.problem !== '' && h('p', { class: 'problem', role: 'alert' }, state.problem),
      h('div', { class: 'panels' }, h(Panels, { state, actions })),
    ),
    state.asked !== undefined &&
      h(Dialogs, {
        asked: state.asked,
        command: actions.command,
        pending: state.pending,
        onClose: () => actions.ask(undefined),
      }),
  )
