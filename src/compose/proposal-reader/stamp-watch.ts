import { stat } from 'node:fs/promises'

/** How often the stamps are compared, in milliseconds. */
const pollMs = 1000

/** One text of the stamps of files and folders. It changes when one of them changes. Never rejects. */
const stampsOf = async (places: readonly string[]): Promise<string> => {
  const stamps = await Promise.all(
    places.map((place) =>
      stat(place, { bigint: true }).then(
        ({ dev, ino, mode, size, ctimeNs }) => [dev, ino, mode, size, ctimeNs].join(' '),
        () => 'nothing',
      ),
    ),
  )
  return stamps.join('\n')
}

/** Watches files by their stamps alone, which needs no thread. */
export const createStampWatch = () => {
  const listeners = new Set<() => void>()
  let before = ''
  let timer: NodeJS.Timeout | undefined
  const moved = (): void => {
    for (const listener of listeners) listener()
  }
  const poll = (places: readonly string[], stamps: string): void => {
    timer = setTimeout(() => {
      void stampsOf(places).then((now) =>
        timer === undefined ? undefined : now === stamps ? poll(places, stamps) : moved(),
      )
    }, pollMs).unref()
  }
  return {
    /** Whether nothing moved since this was asked before. Undefined places count as moved. */
    isStill: async (places: readonly string[] | undefined): Promise<boolean> => {
      const stamps = places === undefined ? '' : await stampsOf(places)
      const isSame = stamps !== '' && stamps === before
      before = stamps
      return isSame
    },
    /** Watches the places from the state that `isStill` saw last. */
    watch: (places: readonly string[]): void => poll(places, before),
    /** The listener is called when something that is watched moved. */
    onMoved: (listener: () => void): void => void listeners.add(listener),
    stop: (): void => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
