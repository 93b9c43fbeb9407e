import { describeClient } from './cases.ts'
import { gemini } from './clients.ts'
import { installPackages } from '../packages.ts'

// No hook with a time limit waits for this.
await installPackages('test/clients')

describeClient(gemini, { laws: ['installed', 'deny', 'rewrite', 'ask'] })
