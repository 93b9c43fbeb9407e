import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where the clients lie that are too large to be everybody's development dependencies. */
export const cacheFolder = join(tmpdir(), 'hookgate-clients')
