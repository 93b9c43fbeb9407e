import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where the clients lie that only `npm run test:clients` needs. */
export const cacheFolder = join(tmpdir(), 'hookgate-clients')
