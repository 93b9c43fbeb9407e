import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { messageOf } from '../../src/core/model/gate/problem.ts'
import { optionWords } from '../../src/shared/base/problem.ts'
import { createPeer, createScripts, createShipped } from './guards.ts'
import { publish, tablesOf } from './page.ts'
import { corporaHere, readRows } from './rows.ts'
import { scoreRows } from './score.ts'

/**
 * `npm run scorecard -- FOLDER`: asks the guards that hookgate ships about every row of the corpora in a
 * folder, in this process, and prints how they did. It exits with 0 when it could ask, and with 2 otherwise.
 */
const usage = `npm run scorecard -- FOLDER                every shipped guard, on every row of FOLDER/*.jsonl
npm run scorecard -- FOLDER --scripts      the scripts about commands that were proposed before
npm run scorecard -- FOLDER --peer PATH    cc-safety-net, whose package lies in PATH
  --misses FILE   writes the rows that were judged wrongly, with what was said
  --json          prints JSON
  --page          writes the figures into config/context/references/scorecard.md`

const parsed = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        scripts: { type: 'boolean', default: false },
        peer: { type: 'string' },
        misses: { type: 'string' },
        json: { type: 'boolean', default: false },
        page: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    return optionWords(error)
  }
}

const run = async (): Promise<void> => {
  const asked = parsed()
  if (typeof asked === 'string') throw new Error(asked)
  const { scripts, peer, misses, json, page } = asked.values
  const [folder = corporaHere, ...more] = asked.positionals
  if (folder === undefined || more.length > 0) throw new Error('Expected one folder of corpora.')
  const rows = readRows(folder)
  const startedAtMs = performance.now()
  const judges = peer === undefined ? (scripts ? createScripts() : createShipped()) : await createPeer(peer)
  try {
    const { measured, wrongs } = await scoreRows(rows, judges)
    if (misses !== undefined)
      writeFileSync(misses, wrongs.map((wrong) => `${JSON.stringify(wrong)}\n`).join(''))
    if (page) publish(peer === undefined ? (scripts ? 'before' : 'now') : 'peer', measured)
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
    process.stdout.write(
      json
        ? `${JSON.stringify({ measured, wrongs })}\n`
        : `${tablesOf(measured)}\n\n${rows.length} rows in ${seconds} s\n`,
    )
  } finally {
    await judges.stop()
  }
}

try {
  await run()
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n${usage}\n`)
  process.exitCode = 2
}
