import type { Forgery } from './forgery.ts'
import { secretForgeries } from './forgeries/secrets.ts'
import { ledgerForgeries } from './forgeries/ledger.ts'
import { entryForgeries } from './forgeries/entries.ts'

/** Everything that is tried, in the order in which it is told. */
export const forgeries: readonly Forgery[] = [...secretForgeries, ...ledgerForgeries, ...entryForgeries]
