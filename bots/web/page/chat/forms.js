// @ts-check
import { h } from 'preact'
import { Files } from './files.js'
import { t } from '../language/language.js'
import { anchor } from '../text.js'

/** @typedef {import('../../stream.ts').ChatMessage} ChatMessage */

/**
 * The word for the form of a message, shown in the header of its bubble.
 * @param {ChatMessage['form']} form @returns {string | undefined}
 */
export const formWord = (form) =>
  /** @type {Readonly<Record<string, string | undefined>>} */ (t.forms)[form ?? '']

/** @param {string} look @param {string | undefined} text */
const line = (look, text) => text !== undefined && h('p', { class: look, dir: 'auto' }, text)

/** The parts of an agent's message above its text. @param {{ message: ChatMessage }} props */
export const Above = ({ message: { files = [], form = 'text', location, contact } }) => [
  files.length > 0 && h('div', { key: 'files', class: 'files' }, h(Files, { files, form })),
  location !== undefined &&
    h(
      'div',
      { key: 'location', class: 'item' },
      line('title', location.title),
      line('', location.address),
      line('figures', `${location.latitude}, ${location.longitude}`),
    ),
  contact !== undefined &&
    h('div', { key: 'contact', class: 'item' }, line('title', contact.name), line('figures', contact.phone)),
]

/** The parts of a message below its text. @param {{ message: ChatMessage }} props */
export const Below = ({ message: { options = [], links = [], reaction } }) => [
  options.length > 0 &&
    h(
      'ul',
      { key: 'options', class: 'options' },
      options.map((option, index) => h('li', { key: index, dir: 'auto' }, option)),
    ),
  options.length > 0 && h('p', { key: 'how', class: 'small' }, t.noVote),
  links.length > 0 &&
    h(
      'div',
      { key: 'links', class: 'links' },
      links.map((link) => anchor(link, 'link-button', h('bdi', null, link.label))),
    ),
  reaction !== undefined &&
    h('p', { key: 'reaction', class: 'reaction' }, h('span', { class: 'small' }, t.agent), reaction),
]
