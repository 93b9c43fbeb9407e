import { spawnSync } from 'node:child_process'
import type { StartAs } from '../model/separation.ts'

const timeoutMs = 10_000
const maxWords = 300

/**
 * Runs a short shell script with somebody's rights and waits for it. What it said when it failed, in one line;
 * undefined when all is well.
 */
export const runScript = ({ prefix, user }: StartAs, script: string, args: readonly string[], input = ''): string | undefined => {
  const [file = '', ...rest] = [...prefix, '/bin/sh', '-c', script, 'sh', ...args]
  try {
    const { status, error, stderr, stdout } = spawnSync(file, rest, { ...user, cwd: '/', env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' }, input, encoding: 'utf8', timeout: timeoutMs, killSignal: 'SIGKILL' })
    if (status === 0) return undefined
    const said = `${stdout}${stderr}`.replaceAll(/[\x00-\x1f\x7f]+/g, ' ').trim().slice(-maxWords)
    return error?.message ?? (said === '' ? `exit code ${status}` : said)
  } catch (error) {
    return error instanceof Error ? error.message : 'it could not be started'
  }
}
