// @ts-check
import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { sizeWords } from './chat/files.js'
import { Dialog } from './dialog.js'
import { History } from './events/events.js'
import { t } from './language/language.js'
import { get } from './session/wire.js'
import { visible, visibleCode } from './text.js'

/**
 * What the person asked for: the files of a hook, to revoke one, or the history.
 * @typedef {{ kind: 'source', handle: string, name: string, isChanged?: boolean, approve?: string }
 *   | { kind: 'history' }
 *   | { kind: 'revoke', name: string, act: string, run: () => void }} Asked
 * @typedef {import('../../../src/shared/gate/hook-source.ts').HookSource} HookSource
 * @typedef {import('../../../src/shared/gate/hook-source.ts').SourceFile} SourceFile
 */

/** @param {number} count */
const grouped = (count) => count.toLocaleString()

/**
 * The lines of a difference: new ones, old ones, and those around them.
 * @param {{ lines: readonly string[] }} props
 */
const Difference = ({ lines }) =>
  h(
    'section',
    { class: 'difference', 'aria-labelledby': 'difference-title' },
    h('h3', { id: 'difference-title' }, t.changedSince),
    h(
      'pre',
      null,
      lines.map((line, index) => {
        const look = line.startsWith('│ +') ? 'added' : line.startsWith('│ -') ? 'removed' : 'around'
        return h('span', { key: index, class: look }, `${visibleCode(line)}\n`)
      }),
    ),
  )

/** @param {SourceFile} file */
const whyNot = ({ why }) =>
  why === 'binary' ? t.binaryFile : why === 'too_much' ? t.tooMuchFile : t.unreadableFile

/** @param {{ file: SourceFile, id: string }} props */
const FileText = ({ file, id }) =>
  h(
    'section',
    { class: 'source-file', 'aria-labelledby': id },
    h('h3', { id, dir: 'auto' }, visible(file.path)),
    h('p', { class: 'small' }, t.fileFacts(sizeWords(file.bytes), file.sha256.slice(0, 12))),
    (file.leftUnits ?? 0) > 0 &&
      h(
        'p',
        { class: 'lockdown' },
        t.partOfFile(grouped(file.text?.length ?? 0), grouped(file.leftUnits ?? 0)),
      ),
    file.text === undefined
      ? h('p', { class: 'lockdown' }, whyNot(file))
      : h('pre', null, visibleCode(file.text)),
  )

/** @param {{ source: HookSource }} props */
const Files = ({ source: { from, difference, files } }) => [
  difference.length > 0 && h(Difference, { key: 'difference', lines: difference }),
  files.length === 0
    ? h('p', { key: 'none' }, t.noFiles)
    : h('p', { key: 'from', class: 'small' }, from === 'sealed' ? t.sealedFiles : t.proposedFiles),
  files.map((file, index) => h(FileText, { key: file.path, file, id: `file-${index}` })),
]

/** Loads the files when it opens. @param {{ handle: string }} props */
const Source = ({ handle }) => {
  const [source, setSource] = useState(/** @type {HookSource | undefined} */ (undefined))
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let isUnmounted = false
    const load = async () => {
      const answer = await get(`/api/source/${encodeURIComponent(handle)}`)
      if (isUnmounted) return
      if (answer.isDone) setSource(/** @type {HookSource} */ (answer.value))
      else setProblem(answer.why)
    }
    void load()
    return () => {
      isUnmounted = true
    }
  }, [handle])
  return h(
    'div',
    // It scrolls, so it takes the focus and the arrow keys.
    {
      class: 'source',
      tabIndex: 0,
      role: 'group',
      'aria-label': t.source,
      'aria-busy': source === undefined && problem === '',
    },
    problem !== '' && h('p', { class: 'problem', role: 'alert' }, problem),
    source === undefined
      ? problem === '' && h('p', { class: 'empty', role: 'status' }, t.loadingSource)
      : h(Files, { source }),
  )
}

/**
 * @param {{ asked: Asked, command: (text: string) => void, pending: ReadonlySet<string>, onClose: () => void
 * }} props
 */
export const Dialogs = ({ asked, command, pending, onClose }) => {
  if (asked.kind === 'revoke')
    return h(Dialog, {
      title: t.revokeTitle(asked.name),
      isQuestion: true,
      onClose,
      content: (close) => [
        h('p', { key: 'why', id: 'dialog-text' }, t.revokeWhy),
        h(
          'p',
          { key: 'answers', class: 'actions' },
          h('button', { type: 'button', class: 'quiet', autofocus: true, onClick: close }, t.keep),
          h(
            'button',
            {
              type: 'button',
              class: 'careful',
              'aria-label': t.revokeHook(asked.name),
              'data-act': `sure ${asked.act}`,
              onClick: () => {
                close()
                asked.run()
              },
            },
            t.revoke,
          ),
        ),
      ],
    })
  if (asked.kind === 'history')
    return h(Dialog, {
      title: t.historyTitle,
      onClose,
      content: (close) => [
        h(History, { key: 'history' }),
        h(
          'p',
          { key: 'answers', class: 'actions' },
          h('button', { type: 'button', class: 'quiet', onClick: close }, t.close),
        ),
      ],
    })
  const { approve, handle, name } = asked
  return h(Dialog, {
    title: asked.isChanged === true ? t.whatChangedHook(name) : t.sourceHook(name),
    onClose,
    content: (close) => [
      h(Source, { key: 'source', handle }),
      h(
        'p',
        { key: 'answers', class: 'actions' },
        h('button', { type: 'button', class: 'quiet', onClick: close }, t.close),
        approve !== undefined &&
          h(
            'button',
            {
              type: 'button',
              class: 'primary',
              'aria-label': t.approveHook(name),
              'data-act': approve,
              'aria-disabled': pending.has(approve),
              onClick: () => {
                close()
                command(approve)
              },
            },
            t.approve,
          ),
      ),
    ],
  })
}
