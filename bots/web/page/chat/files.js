// @ts-check
import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { button, e, useWork } from '../elements.js'
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
  const { said, isBusy, run } = useWork(remark)
  const load = async () => {
    const got = await getFile(file.id)
    if (!got.isDone) return got.why
    save(/** @type {Blob} */ (got.value), file.name)
    return undefined
  }
  return e(
    'div.file-row',
    e(
      'p.name',
      e('bdi', { title: file.name }, shortName(file.name)),
      e('span.small', sizeWords(file.size), said !== '' && `, ${said}`),
    ),
    button('quiet', t.download, () => run(load), { 'aria-disabled': isBusy }),
  )
}

/**
 * Shows a file with the blob URL of its bytes, which are loaded when its place comes close to the visible
 * area. A file that cannot be shown is a row.
 * @param {{ file: ShownFile, place: string, style?: object,
 *   show: (url: string, fail: (why: string) => void) => import('../elements.js').Children }} props
 */
const Shown = ({ file, place, style = {}, show }) => {
  const element = useRef(/** @type {HTMLDivElement | null} */ (null))
  const [url, setUrl] = useState('')
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let blobUrl = ''
    let isUnmounted = false
    const load = async () => {
      const got = await getFile(file.id)
      if (isUnmounted) return
      if (!got.isDone) return setProblem(got.why)
      blobUrl = URL.createObjectURL(/** @type {Blob} */ (got.value))
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
  }, [file.id])
  if (problem !== '') return h(FileRow, { file, remark: problem })
  return e(`div.${place}`, { style, ref: element }, url !== '' && show(url, setProblem))
}

/** A picture. A tap opens it in full size. @param {{ file: ShownFile, isTile: boolean }} props */
const Picture = ({ file, isTile }) => {
  const { width = 1, height = 1 } = file
  // The space is reserved before the picture is loaded, so that the text does not move.
  const size = {
    aspectRatio: `${width} / ${height}`,
    width: `min(100%, ${width}px, ${Math.ceil((60 * width) / height)}dvh)`,
  }
  return h(Shown, {
    file,
    place: isTile ? 'picture.tile' : 'picture',
    style: isTile ? {} : size,
    show: (url, fail) =>
      e(
        'a',
        { href: url, target: '_blank', rel: 'noopener', title: file.name },
        e('img', { src: url, alt: file.name, onError: () => fail(t.notShown) }),
      ),
  })
}

/** @param {{ file: ShownFile }} props */
const Voice = ({ file }) =>
  h(Shown, {
    file,
    place: 'voice',
    show: (src, fail) =>
      e('audio', {
        controls: true,
        src,
        title: file.name,
        'aria-label': t.voiceMessage,
        onError: () => fail(t.notPlayed),
      }),
  })

/**
 * The files of one message in the layout of its form. The bytes of a file decide whether it is shown as a
 * picture or a sound.
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
  const [shown, others] = [true, false].map((is) => files.filter(({ width }) => (width !== undefined) === is))
  return [
    e(
      form === 'album' ? 'div.album' : 'div.one',
      { key: '' },
      shown?.map((file) => h(Picture, { key: file.id, file, isTile: form === 'album' })),
    ),
    ...(others ?? []).map((file) => h(FileRow, { key: file.id, file, remark: t.notShown })),
  ]
}
