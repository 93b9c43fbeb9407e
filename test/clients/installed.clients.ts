import { describeClient } from './cases.ts'
import { REAL_CLIENTS } from './clients.ts'

for (const client of REAL_CLIENTS) describeClient(client)
