import type { SharedFiles } from '../../core/model/gate/shared.ts'
import { createClient, type PostgresClient } from './client.ts'
import { checkLease, type DatabaseAccess } from './lease.ts'
import { SCHEMA_NAME } from './migrations.ts'
import { createRequests } from './requests.ts'

const PUT = `INSERT INTO ${SCHEMA_NAME}.sealed_file (sha256, content) VALUES ($1, decode($2, 'base64'))
  ON CONFLICT (sha256) DO NOTHING`
const GET = `SELECT encode(content, 'base64') AS content FROM ${SCHEMA_NAME}.sealed_file WHERE sha256 = $1`

/** The digests come as a list in JSON. */
const KEEP = `DELETE FROM ${SCHEMA_NAME}.sealed_file
  WHERE sha256 NOT IN (SELECT json_array_elements_text($1::text::json))`

export const putFile = async (
  { query }: PostgresClient,
  { sha256, content }: { readonly sha256: string; readonly content: Buffer },
): Promise<void> => {
  await query(PUT, [sha256, content.toString('base64')])
}

export const getFile = async ({ query }: PostgresClient, sha256: string): Promise<Buffer | undefined> => {
  const [row] = await query<{ readonly content: string }>(GET, [sha256])
  return row === undefined ? undefined : Buffer.from(row.content, 'base64')
}

/** The sealed files in a PostgreSQL database. Its schema is current, since this gate has a term there. */
export const openSharedFiles = ({ url, deadlineMs, term, pulse }: DatabaseAccess): SharedFiles => {
  const { request, stop } = createRequests({
    connect: () => createClient(url, deadlineMs),
    what: 'what sealed files need',
    pulse,
  })
  return {
    put: async (files) => {
      // Each file is a transaction of its own, because a file may have many megabytes.
      for (const file of files)
        await request(async (client) => {
          const { query } = client
          await query('BEGIN')
          await checkLease(client, term)
          await putFile(client, file)
          await query('COMMIT')
        })
    },
    keepOnly: (sha256s) =>
      request(async (client) => {
        await client.query('BEGIN')
        await checkLease(client, term)
        await client.query(KEEP, [JSON.stringify(sha256s)])
        await client.query('COMMIT')
      }),
    get: (sha256) => request((client) => getFile(client, sha256)),
    stop,
  }
}
