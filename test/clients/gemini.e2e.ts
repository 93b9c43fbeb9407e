import { describeClient } from './cases.ts'
import { gemini } from './clients.ts'

// The others are tried in gemini.smoke.ts.
describeClient(gemini, { laws: ['allow', 'subagent', 'timeout', 'stop', 'dead'] })
