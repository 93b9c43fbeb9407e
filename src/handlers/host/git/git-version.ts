import type { HookHost } from '../host.ts'

const patienceMs = 5000

/**
 * The output of `git --version` where hooks run; undefined when they find no git. The hook host is asked,
 * because the same PATH may lead to another program there.
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
