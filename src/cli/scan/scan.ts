import { parseArgs } from 'node:util'
import { print, type Verb } from '../verb.ts'

export const scan: Verb = {
  usage: 'hookgate scan [--days N] [--client NAME] [--json]',
  does: ['shows what the guards would have stopped of all that agents did on this machine before'],
  help: `  --days N        what they did in the last N days; 30 when absent
  --client NAME   only this one: claude-code, codex, copilot, gemini, kimi or opencode
  --json          for programs

It needs no gate and no setting, writes nothing and sends nothing. It reads the sessions that the clients keep,
the newest first. Ctrl+C ends it and shows what was found so far.`,
  run: async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: { days: { type: 'string' }, client: { type: 'string' }, json: { type: 'boolean' } },
    })
    const { runScan } = await import('../../compose/verbs/scan/run.ts')
    const { jsonOf, progressLine, reportOf } = await import('./report.ts')
    let isStopped = false
    process.once('SIGINT', () => {
      isStopped = true
    })
    const { isTTY, columns } = process.stderr
    const clear = isTTY ? '\r\u001B[K' : ''
    if (isTTY) process.stderr.write('Looking for sessions')
    const { scanned, facts } = await runScan(values, process.env, {
      isStopped: () => isStopped,
      progress: (soFar) => {
        if (isTTY) process.stderr.write(clear + progressLine(soFar, columns))
      },
    })
    process.stderr.write(clear)
    print(
      values.json === true
        ? jsonOf(scanned, facts)
        : reportOf(scanned, facts, process.stdout.isTTY ? process.stdout.columns : 80),
    )
  },
}
