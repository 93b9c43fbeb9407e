/** The value of sorted numbers below which this share of them lies. Undefined: there are none. */
export const quantile = (sorted: ArrayLike<number>, share: number): number | undefined =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
