import { statSync, type BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'

/** How often the stamps are compared, in milliseconds. */
const pollMs = 1000

const missing = 'nothing'
const stampOf = ({ dev, ino, mode, size, ctimeNs }: BigIntStats): string =>
  [dev, ino, mode, size, ctimeNs].join(' ')
const stampNow = (place: string): string => {
  try {
    return stampOf(statSync(place, { bigint: true }))
  } catch {
    return missing
  }
}

/** One text of the stamps of files and folders. It changes when one of them changes. Never throws. */
export const stampsNow = (places: readonly string[]): string => places.map(stampNow).join('\n')

/** The same text, without holding up the thread. Never rejects. */
const stampsOf = async (places: readonly string[]): Promise<string> =>
  (await Promise.all(places.map((place) => stat(place, { bigint: true }).then(stampOf, () => missing)))).join(
    '\n',
  )

/** Watches files by their stamps alone, which needs no thread. */
export const createStampWatch = () => {
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  const poll = (places: readonly string[], stamps: string): void => {
    timer = setTimeout(() => {
      void stampsOf(places).then((now) => {
        if (timer === undefined) return
        if (now === stamps) poll(places, stamps)
        else for (const listener of listeners) listener()
      })
    }, pollMs).unref()
  }
  return {
    /** Watches the places. `stamps`: what `stampsNow` gave when they were read last. */
    watch: poll,
    /** The listener is called when something that is watched moved. */
    onMoved: (listener: () => void): void => void listeners.add(listener),
    stop: (): void => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
