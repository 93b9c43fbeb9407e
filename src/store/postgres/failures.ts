import { ProblemError, messageOf } from '../../core/model/gate/problem.ts'
import { commonFailures } from '../engine.ts'
import { SCHEMA_NAME } from './migrations.ts'

/** Where the database is, and as whom hookgate logs in. It never holds the password. */
export interface DatabasePlace {
  readonly server: string
  readonly database: string
  readonly user: string
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** What the server said, or the system's code of what happened to the connection. */
const whyOf = (error: unknown): string =>
  isOfServer(error) ? messageOf(error) : codeOf(error) || messageOf(error)

/** The server refused a statement, and said why. */
export const isOfServer = (error: unknown): boolean =>
  error instanceof Error && error.name === 'PostgresError'

/**
 * The error ends the connection, and does not only reject one statement. 08, 57P: the classes of such codes
 * (postgresql.org/docs/current/errcodes-appendix.html).
 */
export const endsConnection = (error: unknown): boolean =>
  !isOfServer(error) ||
  /^(?:08|57P)/.test(codeOf(error)) ||
  (error instanceof Error && 'severity' in error && error.severity === 'FATAL')

/** The check of the server's certificate failed, by the codes of OpenSSL and of Node. */
const isOfCertificate = (error: unknown): boolean => /CERT|^UNABLE_TO_/.test(codeOf(error))

/** The server ended a transaction because it and another one waited for each other. It can be done again. */
export const isRepeatable = (error: unknown): boolean => /^(?:40P01|40001)$/.test(codeOf(error))

/** Another gate took over the lease of this one, so the transaction was refused. */
export const isOfOlderLease = (error: unknown): boolean => codeOf(error) === 'HG001'

/** An address that cannot be read. The message does not repeat it, because a password may be in it. */
export const unreadableAddress = (): Error =>
  new ProblemError({
    code: 'store.address',
    message:
      'Expected the address of the database to be like "postgres://user:password@host:5432/database", got a text that is no such address.',
    fix: 'Correct the address. In the password, write each special character as a code, for example %2F for a slash.',
  })

/** The errors that a caller can get. Each says what to do. */
export const failuresOf = ({ server, database, user }: DatabasePlace) => {
  const at = `the database "${database}" at ${server}`
  const failure = (
    code: string,
    message: string,
    fix = 'Check the database server, its disk and the network. Then try again.',
  ): Error => new ProblemError({ code, message, fix })

  const rights = (why: string): Error =>
    failure(
      'store.rights',
      `Expected the user "${user}" to have all rights on the schema "${SCHEMA_NAME}" in ${at}, got "${why}".`,
      `Run this there as an administrator: CREATE SCHEMA "${SCHEMA_NAME}" AUTHORIZATION "${user}". If the schema exists, make the user the owner of the schema and of its tables.`,
    )
  const readonly = (): Error =>
    failure(
      'store.readonly',
      `Expected a server that takes changes for ${at}, got a server that is read-only.`,
      'Give the address of the primary server, not of a standby.',
    )

  /** The reason why a database cannot be opened, by the server's code. */
  const byCode = (code: string, why: string): Error | undefined => {
    switch (code) {
      case '28P01':
      case '28000':
        return failure(
          'store.login',
          `Expected the server at ${server} to let the user "${user}" in, got "${why}".`,
          "Check the user and the password in the database's address, and the server's pg_hba.conf.",
        )
      case '3D000':
        return failure(
          'store.database',
          `Expected ${at}, got "${why}".`,
          "Create the database, or correct its name in the database's address.",
        )
      case '42501':
        return rights(why)
      case '25006':
        return readonly()
      case '55P03':
        return failure(
          'store.busy',
          `Expected to change the schema of ${at}, but another program kept it locked.`,
          'Wait until the other replica has started. Then try again.',
        )
      default:
        return undefined
    }
  }

  const common = commonFailures(failure)
  const lost = (error: unknown): Error =>
    failure(
      'store.lost',
      `Expected an answer of the database server at ${server}, but the connection ended (${whyOf(error)}). The request may or may not have been carried out.`,
    )
  const takenOver = (): Error =>
    failure(
      'store.lease',
      `Expected this hookgate to be the one that works on ${at}, but another one has taken over.`,
      'Nothing was changed. The other one works now.',
    )

  return {
    ...common,
    /** Why a request failed. `what`: the request, as a noun. */
    failed: (error: unknown, what: string): Error => {
      if (error instanceof ProblemError) return error
      if (isOfOlderLease(error)) return takenOver()
      return endsConnection(error) ? lost(error) : common.undone(what, messageOf(error))
    },
    /** Why the database could not be opened. */
    unopened: (error: unknown): Error => {
      if (error instanceof ProblemError) return error
      const known = byCode(codeOf(error), whyOf(error))
      if (known !== undefined) return known
      if (isOfCertificate(error))
        return failure(
          'store.certificate',
          `Expected the PostgreSQL server at ${server} to show a certificate that counts here, got "${messageOf(error)}".`,
          'Name the file of its authority with NODE_EXTRA_CA_CERTS, and write the name that is in the certificate into the address.',
        )
      return endsConnection(error)
        ? failure(
            'store.unreachable',
            `Expected a PostgreSQL server at ${server}, got no connection (${whyOf(error)}).`,
            'Check that the server runs, and that this machine reaches its host and port.',
          )
        : failure('store.open', `Expected to open ${at}, got "${whyOf(error)}".`)
    },
    newer: (known: number, found: number): Error =>
      failure(
        'store.newer',
        `Expected the schema of ${at} to have version ${known} or an older one, got version ${found}. A newer hookgate has changed it.`,
        'Update this hookgate to the version of the other replicas.',
      ),
    foreign: (): Error =>
      failure(
        'store.foreign',
        `Expected the schema "${SCHEMA_NAME}" in ${at} to be empty or hookgate's own, got tables of another program.`,
        'Give hookgate a database of its own, or rename that schema.',
      ),
    inUse: (holder: string): Error =>
      failure(
        'store.used',
        `Expected no hookgate to work on ${at}, got one that does (${holder}).`,
        'Stop it first. When it was killed, try again after 10 seconds.',
      ),
    unfit: (what: 'PostgreSQL 15 or newer' | 'the encoding UTF8', found: string): Error =>
      failure(
        'store.unfit',
        `Expected ${what} for ${at}, got ${found}.`,
        what === 'the encoding UTF8'
          ? "Create the database anew with ENCODING 'UTF8' and TEMPLATE template0."
          : 'Update the server, or give the address of a newer one.',
      ),
    readonly,
    rights,
  }
}

export type PostgresFailures = ReturnType<typeof failuresOf>
