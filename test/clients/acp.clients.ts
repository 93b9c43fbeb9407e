import { ACP_AGENTS } from './acp-agents.ts'
import { describeAcp } from './acp-cases.ts'

for (const agent of ACP_AGENTS) describeAcp(agent)
