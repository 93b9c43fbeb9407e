import { budgets } from '../../src/shared/base/budgets.ts'
import { createStore } from '../../src/store/create-store.ts'
import { commonFailures, createEngine } from '../../src/store/engine.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import type { SqliteOptions } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'

/**
 * The store in a file, without its thread: a thread takes longer to start than most tests need. What the
 * thread itself does is tested in this folder.
 */
export const openStoreHere = ({ path, bounds = budgets.records, log }: SqliteOptions): Promise<Store> => {
  const database = openDatabase({ path, records: bounds })
  let isOpen = true
  const engine = createEngine({
    commit: (ops) => Promise.resolve(database.commit(ops)),
    fullBatch: 64,
    mostBatches: 2,
    end: () => {
      if (isOpen) database.close()
      isOpen = false
      return Promise.resolve()
    },
    failures: commonFailures((_, message) => new Error(message)),
  })
  return Promise.resolve(createStore({ engine, log, recovered: () => database.recovered }))
}
