import { describeClient } from './cases.ts'
import { claudeCode, REAL_CLIENTS } from './clients.ts'

for (const client of REAL_CLIENTS) describeClient(client)
describeClient(claudeCode, { more: ['--http'] })
