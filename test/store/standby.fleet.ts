import { expect, test } from 'vitest'
import { formatAll } from '../../src/core/gatekeeper/ledger/place.ts'
import { createClient } from '../../src/store/postgres/client.ts'
import { openPostgresLines } from '../../src/store/postgres/ledger-lines.ts'
import { knowStandbys } from '../../src/store/postgres/standby.ts'
import { useDatabase } from './postgres-server.ts'

const database = useDatabase()

test('a gate that waits does not know a line that the database has lost again', async () => {
  const acts = [
    { act: 'genesis', by: 'telegram:7', data: { owners: [] } },
    { act: 'on', by: 'telegram:7', data: {} },
  ] as const
  const { text, heads } = formatAll(acts, 0, undefined, 0, Buffer.alloc(32))
  const [first = '', second = ''] = text.split('\n')
  const lines = await openPostgresLines({ url: database.url(), deadlineMs: 10_000 })
  const standbys = knowStandbys(() => createClient(database.url(), 2000), lines.end)
  try {
    await lines.begin(undefined, [first])
    await database.run(
      "INSERT INTO hookgate.standby VALUES ('another', '1', 1, 1, NULL, clock_timestamp() + interval '1 minute')",
    )
    expect(await standbys.untold(0)).toEqual([])
    await lines.append({ generation: 1, revision: 1, head: heads[0] ?? '' }, [second])
    expect(await standbys.untold(0)).toEqual(['another'])
    // A copy of the server follows that has not got the line.
    await database.run(`ALTER TABLE hookgate.ledger_line DISABLE TRIGGER ALL;
      DELETE FROM hookgate.ledger_line WHERE n = 2;
      UPDATE hookgate.ledger SET revision = 1, head = '${heads[0]}'`)
    expect(await standbys.untold(0)).toEqual(['another'])
    expect(await standbys.all()).toMatchObject([{ holder: 'another', behind: 1 }])
  } finally {
    await lines.stop()
    await standbys.stop()
  }
})
