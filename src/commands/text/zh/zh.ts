import type { Catalogue } from '../catalogues.ts'
import { commands } from './commands.ts'

/** Simplified Chinese. */
export const zh: Catalogue = { ...commands }
