import { FOREIGN_DIALECTS, type ForeignDialect } from '../src/core/model/hooks/dialect.ts'

/** The same for each system whose hooks run here. */
export const ofEach = <T>(value: T): Readonly<Record<ForeignDialect, T>> =>
  Object.fromEntries(FOREIGN_DIALECTS.map((name) => [name, value])) as Record<ForeignDialect, T>
