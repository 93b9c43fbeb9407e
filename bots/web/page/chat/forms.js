// @ts-check
import { h } from 'preact'
import { e } from '../elements.js'
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

/** @param {string} what @param {string | undefined} text */
const line = (what, text) => text !== undefined && e(what, { dir: 'auto' }, text)

/** The parts of an agent's message above its text. @param {{ message: ChatMessage }} props */
export const Above = ({ message: { files = [], form = 'text', location, contact } }) => [
  files.length > 0 && e('div.files', { key: 'files' }, h(Files, { files, form })),
  location !== undefined &&
    e(
      'div.item',
      { key: 'location' },
      line('p.title', location.title),
      line('p', location.address),
      line('p.figures', `${location.latitude}, ${location.longitude}`),
    ),
  contact !== undefined &&
    e('div.item', { key: 'contact' }, line('p.title', contact.name), line('p.figures', contact.phone)),
]

/** The parts of a message below its text. @param {{ message: ChatMessage }} props */
export const Below = ({ message: { options = [], links = [], reaction } }) => [
  options.length > 0 && [
    e(
      'ul.options',
      { key: 'options' },
      options.map((option, index) => e('li', { key: index, dir: 'auto' }, option)),
    ),
    e('p.small', { key: 'how' }, t.noVote),
  ],
  links.length > 0 &&
    e(
      'div.links',
      { key: 'links' },
      links.map((link) => anchor(link, 'link-button', e('bdi', link.label))),
    ),
  reaction !== undefined && e('p.reaction', { key: 'reaction' }, e('span.small', t.agent), reaction),
]
