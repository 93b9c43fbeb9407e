/** The values of environment variables that hookgate checks. A wrong one throws a ProblemError. */
import { got, ProblemError } from '../core/model/gate/problem.ts'
import type { Env } from './home.ts'

const invalid = (code: string, message: string, fix: string): ProblemError =>
  new ProblemError({ code, message, fix })

export const portOf = (text: string | undefined, otherwise: number): number => {
  if (text === undefined || text === '') return otherwise
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw invalid(
      'env.port',
      `Expected HOOKGATE_PORT to be a port from 0 to 65535, got ${got(text)}.`,
      'Set HOOKGATE_PORT=8787.',
    )
  return port
}

export const ownersOf = (text: string | undefined): readonly string[] => {
  const owners = (text ?? '')
    .split(',')
    .map((owner) => owner.trim())
    .filter((owner) => owner !== '')
  const wrong = owners.find((owner) => !/^[a-z]+:\S{1,100}$/.test(owner))
  if (wrong !== undefined)
    throw invalid(
      'env.owners',
      `Expected HOOKGATE_OWNERS to be a list such as telegram:7,telegram:8, got ${got(wrong)}.`,
      'Write each owner as channel:numeric id.',
    )
  return owners
}

/** The problem does not repeat the address, because a password may be in it. */
export const databaseOf = (env: Env): string | undefined => {
  const database = env['HOOKGATE_DATABASE'] || undefined
  if (database !== undefined && !/^postgres(?:ql)?:$/.test(URL.parse(database)?.protocol ?? ''))
    throw invalid(
      'env.database',
      'Expected HOOKGATE_DATABASE to be like postgres://user:password@host:5432/database, got a text that is no such address.',
      'Correct it, or remove it. In the password, write each special character as a code, for example %2F for a slash.',
    )
  return database
}
