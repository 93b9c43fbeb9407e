// @ts-check
import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { getFile } from './wire.js'

/** @typedef {import('../stream.ts').ShownFile} ShownFile */

/** @param {number} bytes */
const sizeWords = (bytes) =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 999_500
      ? `${(bytes / 1000).toPrecision(3).replace(/\.0+$/, '')} KB`
      : `${(bytes / 1e6).toFixed(1)} MB`

/** A long name by its beginning and its end, where it says what kind of file it is. @param {string} name */
const shortName = (name) =>
  name.length <= 60 ? name : `${name.slice(0, 36).toWellFormed()}…${name.slice(-20).toWellFormed()}`

/** Long enough for a browser that asks where to save it. */
const savingMs = 60_000

/** @param {Blob} blob @param {string} name */
const save = (blob, name) => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), savingMs)
}

/**
 * A file that can be saved, and its name: nothing of it is shown.
 * @param {{ file: ShownFile, remark?: string }} props
 */
export const FileRow = ({ file, remark = '' }) => {
  const [problem, setProblem] = useState(remark)
  const [isBusy, setBusy] = useState(false)
  const download = async () => {
    if (isBusy) return
    setBusy(true)
    const got = await getFile(file.id)
    setBusy(false)
    if ('why' in got) setProblem(got.why)
    else save(got.blob, file.name)
  }
  return h(
    'div',
    { class: 'file-row' },
    h(
      'p',
      { class: 'name' },
      h('bdi', { title: file.name }, shortName(file.name)),
      h('span', { class: 'small' }, sizeWords(file.size), problem !== '' && `, ${problem}`),
    ),
    h(
      'button',
      { type: 'button', class: 'quiet', 'aria-disabled': isBusy, onClick: () => void download() },
      'Download',
    ),
  )
}

/**
 * The address of a file's bytes within this page, once its place is or was nearly in view.
 * @param {string} id
 */
const useBytes = (id) => {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null))
  const [url, setUrl] = useState('')
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let made = ''
    let isOver = false
    const load = async () => {
      const got = await getFile(id)
      if (isOver) return
      if ('why' in got) return setProblem(got.why)
      made = URL.createObjectURL(got.blob)
      setUrl(made)
    }
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting !== true) return
        watch.disconnect()
        void load()
      },
      { root: place.current?.closest('.log') ?? null, rootMargin: '600px' },
    )
    if (place.current !== null) watch.observe(place.current)
    return () => {
      isOver = true
      watch.disconnect()
      if (made !== '') URL.revokeObjectURL(made)
    }
  }, [id])
  return { place, url, problem, setProblem }
}

const unshown = 'cannot be shown here'

/** A tap opens it whole. @param {{ file: ShownFile, isTile: boolean }} props */
const Picture = ({ file, isTile }) => {
  const { place, url, problem, setProblem } = useBytes(file.id)
  const { width = 1, height = 1 } = file
  if (problem !== '') return h(FileRow, { file, remark: problem })
  // Its room is kept from the beginning: what is read must not jump when a picture comes.
  const room = isTile
    ? {}
    : {
        aspectRatio: `${width} / ${height}`,
        width: `min(100%, ${width}px, ${Math.ceil((60 * width) / height)}dvh)`,
      }
  return h(
    'div',
    { class: isTile ? 'picture tile' : 'picture', style: room, ref: place },
    url !== '' &&
      h(
        'a',
        { href: url, target: '_blank', rel: 'noopener', title: file.name },
        h('img', { src: url, alt: file.name, onError: () => setProblem(unshown) }),
      ),
  )
}

/** @param {{ file: ShownFile }} props */
const Voice = ({ file }) => {
  const { place, url, problem, setProblem } = useBytes(file.id)
  if (problem !== '') return h(FileRow, { file, remark: problem })
  return h(
    'div',
    { class: 'voice', ref: place },
    url !== '' &&
      h('audio', {
        controls: true,
        src: url,
        title: file.name,
        'aria-label': 'Voice message',
        onError: () => setProblem('cannot be played here'),
      }),
  )
}

/**
 * The files of one message, as its form has them. What its bytes are not, it is not shown as.
 * @param {{ files: readonly ShownFile[], form: string }} props
 */
export const Files = ({ files, form }) => {
  if (form === 'voice')
    return files.map((file) =>
      file.type.startsWith('audio/')
        ? h(Voice, { key: file.id, file })
        : h(FileRow, { key: file.id, file, remark: 'cannot be played here' }),
    )
  if (form === 'document') return files.map((file) => h(FileRow, { key: file.id, file }))
  const shown = files.filter((file) => file.width !== undefined)
  return [
    h(
      'div',
      { key: '', class: form === 'album' ? 'album' : 'one' },
      shown.map((file) => h(Picture, { key: file.id, file, isTile: form === 'album' })),
    ),
    ...files
      .filter((file) => !shown.includes(file))
      .map((file) => h(FileRow, { key: file.id, file, remark: unshown })),
  ]
}
