/**
 * Writes outbox items until it is killed or a write fails. An item's id is noted in a file once its promise
 * resolved. After a failure it prints, as JSON, why and how many items can still be read.
 */
import { openSync, writeSync } from 'node:fs'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { item } from './samples.ts'

const [, , path = '', promisedPath = '', bodyChars = '100'] = process.argv
const store = await openSqliteStore({ path, log: () => undefined })
// A file, not a pipe: what was written to it outlives the kill, and it never pushes back.
const promised = openSync(promisedPath, 'a')
let seq = 0

const writeOn = async (): Promise<void> => {
  for (;;) {
    const id = `i${seq++}`
    await store.putOutbox({ ...item(id, seq), body: 'x'.repeat(Number(bodyChars)) })
    writeSync(promised, `${id}\n`)
  }
}

const why = await Promise.all(Array.from({ length: 16 }, writeOn)).catch((error: unknown) => error)
const readable = (await store.outbox()).length
await store.close()
console.log(JSON.stringify({ why: String(why), readable }))
