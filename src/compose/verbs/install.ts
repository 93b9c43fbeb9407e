import { accessSync, constants, readFileSync, realpathSync } from 'node:fs'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { programWords } from '../../bridge/install/command.ts'
import { runInstall } from '../../bridge/install/run.ts'
import { tokenPath } from '../../bridge/token.ts'
import { packageRoot } from '../../config/first-start.ts'
import { homeOf, type Env } from '../../config/home.ts'
import { loadConfig } from '../../config/load.ts'

/**
 * The gate's folder, and the port for HTTP. A user who may not read the settings of the gate has no token for
 * HTTP either. The client of such a user (`bridge.user` of a service) starts the bridge.
 */
const placeOf = (env: Env): { readonly home: string; readonly port: number } => {
  const home = homeOf(env)
  try {
    accessSync(join(home, 'gate.yaml'), constants.R_OK)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return { home, port: 0 }
  }
  return { home, port: loadConfig(env).bridge.port }
}

/** `hookgate bridge install` and `uninstall`; the exit code. */
export const installFor = (
  args: readonly string[],
  env: Env,
  say: (lines: string) => void,
): Promise<number> => {
  const { home, port } = placeOf(env)
  return runInstall(args, {
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
    ...(port === 0 ? {} : { http: { port, token: () => readFileSync(tokenPath(home), 'utf8').trim() } }),
    say,
  })
}
