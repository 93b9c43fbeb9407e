import type { Problem } from '../../model/problem.ts'
import { readShellHooks } from './shell-hooks.ts'
import type { Source } from './source.ts'

export const shellHooksFile = 'config/shell_hooks.yaml'

/** What the workspace proposes, read again on demand. A file that cannot be read keeps what was read last, and says so. */
export const createSources = (read: (file: string) => { readonly text: string } | { readonly why: string }) => {
  let source: Source = { proposed: [] }
  const unreadable = (why: string): Problem => ({
    code: 'source.unreadable',
    file: shellHooksFile,
    message: `Expected a readable file, but it is ${why}.`,
    fix: 'Mend it; what was approved stays in force.',
  })
  const readNow = (): Source => {
    const file = read(shellHooksFile)
    if ('text' in file) return readShellHooks(file.text, shellHooksFile)
    return file.why === 'missing' ? { proposed: [] } : { proposed: [], problem: unreadable(file.why) }
  }
  const reload = (): void => {
    const next = readNow()
    source = next.problem === undefined ? next : { proposed: source.proposed, problem: next.problem }
  }
  reload()
  return { get: (): Source => source, reload }
}
