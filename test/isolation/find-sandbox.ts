import os from 'node:os'
import { systemProgram } from '../../src/isolation/users/rights.ts'
import { findSandbox } from '../../src/isolation/sandbox/sandbox.ts'

// Finds a sandbox as the user that it runs as, and says how an agent is started in it. Words: folders, kind,
// sockets; without a socket it is the hooks' own.
const [home = '', workspace = '', root = '', userHome = '', only = '', ...sockets] = process.argv.slice(2)
const sandbox = await findSandbox(
  {
    home,
    workspace,
    root,
    userHomes: [userHome],
    path: [`${userHome}/tools/bin`, `${userHome}/.config/bin`, `${userHome}/.local/bin`],
    isRoot: process.getuid?.() === 0,
  },
  (name) => (only === 'unshare' && name === 'bwrap' ? undefined : systemProgram(name)),
)
process.stdout.write(
  JSON.stringify(
    'by' in sandbox
      ? {
          by: sandbox.by,
          startAs: sandbox.programAs(sockets.length === 0 ? 'hooks' : { sockets }),
          user: os.userInfo().uid,
        }
      : sandbox,
  ),
)
