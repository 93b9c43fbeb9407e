import type { Tool, Tools } from '../call.ts'
import { dataTools } from './data.ts'
import { fileTools } from './files.ts'
import { gitTools } from './git.ts'
import { inertTools } from './inert.ts'
import { networkTools } from './network.ts'
import { shellTools } from './shells.ts'
import { systemTools } from './system.ts'
import { wrapperTools } from './wrappers.ts'

/** All programs that are known. A later table wins. */
const all: Tools = {
  ...inertTools,
  ...fileTools,
  ...shellTools,
  ...wrapperTools,
  ...gitTools,
  ...networkTools,
  ...dataTools,
  ...systemTools,
}

export const toolNamed = (name: string): Tool | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined
