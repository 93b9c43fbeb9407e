/** One thing to time. Each sample is the mean of `calls` in a row, in microseconds. */
export interface Contender {
  readonly name: string
  sample(): Promise<number>
}

/** In microseconds, unless the row that measured it says another unit. */
export interface Timed {
  readonly name: string
  readonly samples: number
  /** A tenth of the samples was faster: what it takes when nothing else wants the processor. */
  readonly p10: number
  readonly median: number
  readonly p95: number
}

/** What a row found: each contender's time, the floor's first. */
export interface Measured {
  readonly times: readonly Timed[]
  /** What the reader of the figures has to know of this run, as one sentence. */
  readonly note?: string | undefined
}

export interface MeasureOptions {
  readonly rounds: number
  /** How many samples each contender takes in a row, so that its code is warm when it is timed. */
  readonly burst: number
  /** Unkept samples of each before the first round. */
  readonly warmUps: number
  /** What must not pile up between rounds: it is waited for, and never timed. */
  readonly between?: () => Promise<unknown>
}

/**
 * The last result of what was timed: where others could read it, so that no compiler finds out that nobody
 * wants it.
 */
export let kept: unknown

export const inTurn = (name: string, calls: number, work: () => unknown): Contender => ({
  name,
  sample: async () => {
    const from = performance.now()
    for (let call = 0; call < calls; call++) kept = work()
    return ((performance.now() - from) * 1000) / calls
  },
})

export const awaited = (name: string, work: () => Promise<unknown>): Contender => ({
  name,
  sample: async () => {
    const from = performance.now()
    kept = await work()
    return (performance.now() - from) * 1000
  },
})

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export const summed = (name: string, samples: readonly number[]): Timed => {
  const sorted = samples.toSorted((a, b) => a - b)
  return {
    name,
    samples: sorted.length,
    p10: at(sorted, 0.1),
    median: at(sorted, 0.5),
    p95: at(sorted, 0.95),
  }
}

/** What was measured a single time. */
export const single = (name: string, figure: number): Timed => ({
  name,
  samples: 1,
  p10: figure,
  median: figure,
  p95: figure,
})

/**
 * Times contenders in interleaved rounds, so that whatever else the machine does meets all of them alike. The
 * order turns with each round: nobody always runs behind the same neighbour.
 */
export const measure = async (
  contenders: readonly Contender[],
  { rounds, burst, warmUps, between }: MeasureOptions,
): Promise<readonly Timed[]> => {
  const samples = contenders.map((): number[] => [])
  for (const contender of contenders) {
    for (let index = 0; index < warmUps; index++) await contender.sample()
    await between?.()
  }
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < contenders.length; place++) {
      const index = (place + round) % contenders.length
      for (let count = 0; count < burst; count++) {
        const sample = await contenders[index]?.sample()
        if (sample !== undefined) samples[index]?.push(sample)
      }
      await between?.()
    }
  }
  return contenders.map(({ name }, index) => summed(name, samples[index] ?? []))
}
