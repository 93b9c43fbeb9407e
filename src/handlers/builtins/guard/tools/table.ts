import type { Program, Programs } from '../call.ts'
import { dataTools } from './data.ts'
import { archiveTools } from './files/archives.ts'
import { fileTools } from './files/files.ts'
import { findTools } from './files/find.ts'
import { gitTools } from './git.ts'
import { inertTools } from './inert.ts'
import { networkTools } from './network.ts'
import { remoteTools } from './running/elsewhere.ts'
import { interpreterTools } from './running/interpreters.ts'
import { lineTools } from './running/lines.ts'
import { stateTools } from './running/shell-state.ts'
import { shellTools } from './running/shells.ts'
import { wrapperTools } from './running/wrappers.ts'
import { systemTools } from './system.ts'

/** All programs that are known. A later table wins. */
const all: Programs = {
  ...inertTools,
  ...fileTools,
  ...findTools,
  ...archiveTools,
  ...shellTools,
  ...stateTools,
  ...interpreterTools,
  ...wrapperTools,
  ...lineTools,
  ...remoteTools,
  ...gitTools,
  ...networkTools,
  ...dataTools,
  ...systemTools,
}

export const toolNamed = (name: string): Program | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined
