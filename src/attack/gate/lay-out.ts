import { execa } from 'execa'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ownedBy } from './process.ts'
import { guardsFile, holding, redacting, type AttackedGuard } from './guard.ts'
import type { AttackMode, GateFolders, SystemUser } from './mode.ts'
import type { Owner } from './owner.ts'

export interface LayOutOptions {
  readonly mode: AttackMode
  readonly owner: Owner
  /** The folder that holds everything. */
  readonly root: string
  /** The compile cache of Node. */
  readonly cache: string
  readonly folders: GateFolders
  readonly guard: AttackedGuard
  readonly bridgePort: number
}

const makeFolder = async (path: string, user: SystemUser | undefined): Promise<void> => {
  await mkdir(path, { recursive: true })
  await chmod(path, 0o755)
  await ownedBy(path, user)
}

/** Writes the files of the gate's folder and of the workspace before the first start. */
const writeFiles = async ({
  mode: { gateUser, agentUser, yaml },
  owner,
  folders: { home, workspace },
  guard,
  bridgePort,
}: LayOutOptions): Promise<void> => {
  await writeFile(join(home, 'gate.yaml'), `${yaml}${owner.channels}bridge: {http: {port: ${bridgePort}}}\n`)
  await ownedBy(join(home, 'gate.yaml'), gateUser)
  await makeFolder(join(workspace, 'config'), agentUser)
  await makeFolder(join(workspace, 'bin'), agentUser)
  for (const { script, content } of [guard, holding])
    await writeFile(join(workspace, script), content, { mode: 0o755 })
  await writeFile(join(workspace, guardsFile), 'what it reads\n')
  await writeFile(
    join(workspace, 'config', 'shell_hooks.yaml'),
    JSON.stringify({
      hooks: [guard.proposal, holding.proposal, redacting, { event: 'on_stop', command: 'true' }],
    }),
  )
  await writeFile(join(workspace, 'config', 'agent.yaml'), 'shell_hooks: {enabled: false}\n')
  if (agentUser !== undefined)
    await execa('chown', ['-R', `${agentUser.uid}:${agentUser.gid}`, dirname(workspace)])
}
/** Makes the folders of the gate and of its agent, each with its owner, and the files for the first start. */
export const layOut = async (options: LayOutOptions): Promise<void> => {
  const { root, cache, mode, folders } = options
  const { gateUser, agentUser } = mode
  const { home, workspace, userHome } = folders
  await chmod(root, 0o755)
  await makeFolder(userHome, gateUser)
  await makeFolder(dirname(workspace), agentUser)
  await makeFolder(workspace, agentUser)
  await makeFolder(home, gateUser)
  await mkdir(cache, { mode: 0o700 })
  await ownedBy(cache, gateUser)
  await writeFiles(options)
}
