import { describeClient } from './cases.ts'
import { gemini } from './clients.ts'

describeClient(gemini, { laws: ['installed', 'deny', 'rewrite', 'ask'] })
