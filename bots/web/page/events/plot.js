// @ts-check
import { useEffect, useRef } from 'preact/hooks'
import { e } from '../elements.js'

/**
 * @typedef {import('uplot')} UPlot
 * @typedef {typeof import('uplot')} Library
 * @typedef {(name: string) => string} Colour the value of a colour of the page, such as `--live`
 * @typedef {(library: Library, colour: Colour, width: number) => Omit<import('uplot').Options, 'width' | 'height'>} Make
 */

/** @type {Promise<Library> | undefined} */
let library
/** Loads the library, once. */
export const loadPlots = () => {
  library ??= import('uplot').then((module) => module.default)
  return library
}

/**
 * A picture of numbers. It is drawn anew when its place changes its width, and when the device turns dark or
 * light. A screen reader passes it over, so each plot stands beside its numbers as text.
 * @param {{ make: Make, data: import('uplot').AlignedData, height: number }} props `make` and `data` stay the
 * same object while the plot stays as it is
 */
export const Plot = ({ make, data, height }) => {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null))
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let isGone = false
    /** @type {UPlot | undefined} */
    let plot
    let drawnWidth = 0
    const draw = async () => {
      const UPlot = await loadPlots()
      const width = Math.floor(element.clientWidth)
      if (isGone || width === 0) return
      const style = getComputedStyle(element)
      plot?.destroy()
      drawnWidth = width
      const options = make(UPlot, (name) => style.getPropertyValue(name).trim(), width)
      plot = new UPlot({ ...options, width, height }, data, element)
    }
    const resized = new ResizeObserver(() => {
      if (Math.floor(element.clientWidth) !== drawnWidth) void draw()
    })
    resized.observe(element)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => void draw()
    dark.addEventListener('change', redraw)
    return () => {
      isGone = true
      resized.disconnect()
      dark.removeEventListener('change', redraw)
      plot?.destroy()
    }
  }, [make, data, height])
  return e('div.plot', { ref: place, 'aria-hidden': true, style: { height: `${height}px` } })
}

/** The look of an axis. @param {Colour} colour @returns {import('uplot').Axis} */
export const axisLook = (colour) => ({
  stroke: colour('--muted'),
  grid: { stroke: colour('--line'), width: 1 },
  ticks: { stroke: colour('--line'), width: 1, size: 4 },
  font: '12px system-ui, sans-serif',
})

/**
 * Makes series of bars in a colour.
 * @param {Library} library @param {import('uplot').Series.BarsPathBuilderOpts} options
 * @returns {(fill: string) => import('uplot').Series}
 */
export const bars = (library, options) => {
  const paths = library.paths.bars?.(options)
  return (fill) => ({ ...(paths === undefined ? {} : { paths }), points: { show: false }, fill, width: 0 })
}
