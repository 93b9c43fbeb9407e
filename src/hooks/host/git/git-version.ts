import type { HookHost } from '../host.ts'

const patienceMs = 5000

/**
 * What the git of hooks says of its version; undefined where they find none. It is asked where hooks run: what is on
 * their PATH here may be another program there.
 */
export const askGitVersion = async (
  host: Pick<HookHost, 'run'>,
  path: string,
): Promise<string | undefined> => {
  const request = {
    argv: ['git', '--version'],
    cwd: '/',
    env: { PATH: path },
    stdin: '',
    timeoutMs: patienceMs,
  }
  const { exitCode, stdout } = await host.run(request)
  return exitCode === 0 ? stdout : undefined
}
