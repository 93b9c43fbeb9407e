// @ts-check
import { h } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { sizeWords } from './chat/files.js'
import {
  actButton,
  actions,
  button,
  e,
  emptyLine,
  evenActions,
  problemLine,
  scrollBox,
  section,
} from './elements.js'
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

/**
 * A box above the page. The browser keeps the focus inside it, closes it with Escape, and gives the focus
 * back to where it was before. `content` gets the function that closes it.
 * @param {{ title: string, isQuestion?: boolean, onClose: () => void,
 *   content: (close: () => void) => import('./elements.js').Children }} props
 */
const Dialog = ({ title, isQuestion = false, onClose, content }) => {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useLayoutEffect(() => {
    box.current?.showModal()
  }, [])
  return e(
    isQuestion ? 'dialog.dialog.question' : 'dialog.dialog',
    {
      ref: box,
      'aria-labelledby': 'dialog-title',
      ...(isQuestion ? { role: 'alertdialog', 'aria-describedby': 'dialog-text' } : {}),
      onClose,
    },
    e('h2', { id: 'dialog-title', dir: 'auto' }, title),
    content(() => box.current?.close()),
  )
}

/** @param {number} count */
const grouped = (count) => count.toLocaleString()

/** The lines of a difference: new ones, old ones, and those around them. @param {readonly string[]} lines */
const differenceOf = (lines) =>
  section(
    'difference',
    'difference-title',
    t.changedSince,
    e(
      'pre',
      lines.map((line, index) => {
        const look = line.startsWith('│ +') ? 'added' : line.startsWith('│ -') ? 'removed' : 'around'
        return e(`span.${look}`, { key: index }, `${visibleCode(line)}\n`)
      }),
    ),
  )

/** @param {SourceFile} file */
const whyNot = ({ why }) =>
  why === 'binary' ? t.binaryFile : why === 'too_much' ? t.tooMuchFile : t.unreadableFile

/** @param {SourceFile} file @param {number} index */
const fileOf = (file, index) =>
  section(
    'source-file',
    `file-${index}`,
    visible(file.path),
    e('p.small', t.fileFacts(sizeWords(file.bytes), file.sha256.slice(0, 12))),
    (file.leftUnits ?? 0) > 0 &&
      e('p.lockdown', t.partOfFile(grouped(file.text?.length ?? 0), grouped(file.leftUnits ?? 0))),
    file.text === undefined ? e('p.lockdown', whyNot(file)) : e('pre', visibleCode(file.text)),
  )

/** @param {HookSource} source */
const filesOf = ({ from, difference, files }) => [
  difference.length > 0 && differenceOf(difference),
  files.length === 0
    ? e('p', { key: 'none' }, t.noFiles)
    : e('p.small', { key: 'from' }, from === 'sealed' ? t.sealedFiles : t.proposedFiles),
  files.map(fileOf),
]

/** Loads the files when it opens. @param {{ handle: string }} props */
const Source = ({ handle }) => {
  const [source, setSource] = useState(/** @type {HookSource | undefined} */ (undefined))
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let isUnmounted = false
    void get(`/api/source/${encodeURIComponent(handle)}`).then((answer) => {
      if (isUnmounted) return
      if (answer.isDone) setSource(/** @type {HookSource} */ (answer.value))
      else setProblem(answer.why)
    })
    return () => {
      isUnmounted = true
    }
  }, [handle])
  return scrollBox(
    'source',
    t.source,
    { 'aria-busy': source === undefined && problem === '' },
    problemLine(problem),
    source === undefined ? problem === '' && emptyLine(t.loadingSource) : filesOf(source),
  )
}

/**
 * @param {{ asked: Asked, onClose: () => void } & import('./elements.js').CommandProps} props
 */
export const Dialogs = ({ asked, command, pending, onClose }) => {
  if (asked.kind === 'revoke') {
    const { name, act, run } = asked
    return h(Dialog, {
      title: t.revokeTitle(name),
      isQuestion: true,
      onClose,
      content: (close) => [
        e('p', { key: 'why', id: 'dialog-text' }, t.revokeWhy),
        evenActions(
          button('choice', t.keep, close, { autofocus: true }),
          button('choice', t.revoke, () => (close(), run()), {
            'aria-label': t.revokeHook(name),
            'data-act': `sure ${act}`,
          }),
        ),
      ],
    })
  }
  if (asked.kind === 'history')
    return h(Dialog, {
      title: t.historyTitle,
      onClose,
      content: (close) => [h(History, { key: 'history' }), actions(button('quiet', t.close, close))],
    })
  const { approve, handle, name } = asked
  return h(Dialog, {
    title: asked.isChanged === true ? t.whatChangedHook(name) : t.sourceHook(name),
    onClose,
    content: (close) => [
      h(Source, { key: 'source', handle }),
      approve === undefined
        ? actions(button('quiet', t.close, close))
        : evenActions(
            button('choice', t.close, close),
            actButton('choice', t.approve, approve, () => (close(), command(approve)), {
              pending,
              name: t.approveHook(name),
            }),
          ),
    ],
  })
}
