import { readFileSync, realpathSync } from 'node:fs'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { programWords } from '../../bridge/install/command.ts'
import { runInstall } from '../../bridge/install/run.ts'
import { tokenPath } from '../../bridge/token.ts'
import { packageRoot } from '../../config/first-start.ts'
import type { Config } from '../../config/load.ts'

/** `hookgate bridge install` and `uninstall`; the exit code. */
export const installFor = (
  args: readonly string[],
  { home, bridge }: Config,
  env: Readonly<Record<string, string | undefined>>,
  say: (lines: string) => void,
): Promise<number> =>
  runInstall(args, {
    places: {
      home: homedir(),
      project: process.cwd(),
      env,
      machine: { root: '/', platform: process.platform },
    },
    program: programWords(realpathSync(process.argv[1] ?? ''), process.execPath, env['PATH']),
    gateHome: home,
    isUsualHome: home === resolve(join(homedir(), '.hookgate')),
    isRunning: () =>
      new Promise((resolve) => {
        const socket = connect(join(home, 'run', 'bridge.sock'), () => {
          socket.destroy()
          resolve(true)
        })
        // A socket that this user may not open shows that the gate runs. The bridge says what to do.
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EACCES'))
      }),
    plugin: () => readFileSync(join(packageRoot(), 'config/bridge/opencode.js'), 'utf8'),
    ...(bridge.port === 0
      ? {}
      : { http: { port: bridge.port, token: () => readFileSync(tokenPath(home), 'utf8').trim() } }),
    say,
  })
