import { inject } from 'vitest'

/** The quick tier tries one case in this many. */
const quickShare = 40

/** Every case is tried. What has to occur often enough to mean something is counted only then. */
export const isWhole = (): boolean => inject('tier') === 'property'

/**
 * How many random cases a property tries: all of them in the tier `property`, and a few of them in the quick
 * one.
 */
export const tries = (all: number): number => (isWhole() ? all : Math.ceil(all / quickShare))

/**
 * Of a list, or of the places in a text, the tier `property` tries every one, and the quick one tries one in
 * so many.
 */
export const step = (): number => (isWhole() ? 1 : quickShare)
