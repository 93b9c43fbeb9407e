// @ts-check
import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../language/language.js'
import { getFile } from '../session/wire.js'

/** @typedef {import('../../stream.ts').ShownFile} ShownFile */

/** @param {number} bytes */
export const sizeWords = (bytes) =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 999_500
      ? `${(bytes / 1000).toPrecision(3).replace(/\.0+$/, '')} KB`
      : `${(bytes / 1e6).toFixed(1)} MB`

/** Shortens a long name in its middle. The end shows the type of the file. @param {string} name */
const shortName = (name) =>
  name.length <= 60 ? name : `${name.slice(0, 36).toWellFormed()}…${name.slice(-20).toWellFormed()}`

/** A browser may ask the person where to save the file. This leaves enough time. */
const savingMs = 60_000

/** @param {Blob} blob @param {string} name */
export const save = (blob, name) => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), savingMs)
}

/**
 * A row with the name of a file and a button to save it.
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
      t.download,
    ),
  )
}

/**
 * Loads the bytes of a file when its element comes close to the visible area, and gives a blob URL for them.
 * @param {string} id
 */
const useBytes = (id) => {
  const element = useRef(/** @type {HTMLDivElement | null} */ (null))
  const [url, setUrl] = useState('')
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let blobUrl = ''
    let isUnmounted = false
    const load = async () => {
      const got = await getFile(id)
      if (isUnmounted) return
      if ('why' in got) return setProblem(got.why)
      blobUrl = URL.createObjectURL(got.blob)
      setUrl(blobUrl)
    }
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting !== true) return
        watch.disconnect()
        void load()
      },
      { root: element.current?.closest('.log') ?? null, rootMargin: '600px' },
    )
    if (element.current !== null) watch.observe(element.current)
    return () => {
      isUnmounted = true
      watch.disconnect()
      if (blobUrl !== '') URL.revokeObjectURL(blobUrl)
    }
  }, [id])
  return { element, url, problem, setProblem }
}

/** A picture. A tap opens it in full size. @param {{ file: ShownFile, isTile: boolean }} props */
const Picture = ({ file, isTile }) => {
  const { element, url, problem, setProblem } = useBytes(file.id)
  const { width = 1, height = 1 } = file
  if (problem !== '') return h(FileRow, { file, remark: problem })
  // The space is reserved before the picture is loaded, so that the text does not move.
  const size = isTile
    ? {}
    : {
        aspectRatio: `${width} / ${height}`,
        width: `min(100%, ${width}px, ${Math.ceil((60 * width) / height)}dvh)`,
      }
  return h(
    'div',
    { class: isTile ? 'picture tile' : 'picture', style: size, ref: element },
    url !== '' &&
      h(
        'a',
        { href: url, target: '_blank', rel: 'noopener', title: file.name },
        h('img', { src: url, alt: file.name, onError: () => setProblem(t.notShown) }),
      ),
  )
}

/** @param {{ file: ShownFile }} props */
const Voice = ({ file }) => {
  const { element, url, problem, setProblem } = useBytes(file.id)
  if (problem !== '') return h(FileRow, { file, remark: problem })
  return h(
    'div',
    { class: 'voice', ref: element },
    url !== '' &&
      h('audio', {
        controls: true,
        src: url,
        title: file.name,
        'aria-label': t.voiceMessage,
        onError: () => setProblem(t.notPlayed),
      }),
  )
}

/**
 * The files of one message in the layout of its form. The bytes of a file decide whether it is shown as a
 * picture
 * or a sound.
 * @param {{ files: readonly ShownFile[], form: string }} props
 */
export const Files = ({ files, form }) => {
  if (form === 'voice')
    return files.map((file) =>
      file.type.startsWith('audio/')
        ? h(Voice, { key: file.id, file })
        : h(FileRow, { key: file.id, file, remark: t.notPlayed }),
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
      .map((file) => h(FileRow, { key: file.id, file, remark: t.notShown })),
  ]
}
