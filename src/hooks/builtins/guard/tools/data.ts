import { type Call, type Programs, tools } from '../call.ts'
import { isCut, literal, OPEN, type Value } from '../reading/value.ts'
import { readsWords } from './reads-words.ts'

const loss =
  /\b(?:drop\s+(?:database|schema|table|user|role|tablespace|view|index|collection|keyspace|owned|extension|materialized)|truncate\s+(?:table\s+)?[\w"`.[]|alter\s+table\s+\S+\s+drop|delete\s+from\s+[\w"`.[\]]+\s*(?:;|$|where\s+(?:1\s*=\s*1|true|1\b))|update\s+\S+\s+set\s+[^;]*?(?:;|$)(?<!where[^;]*)|dropdatabase\s*\(|\.drop\s*\(\s*\)|deletemany\s*\(\s*\{\s*\}|\.remove\s*\(\s*\{\s*\}\s*\)|dropindexes\s*\(|flushall|flushdb|detach\s+delete|drop\s+measurement|drop\s+series)/i

const noWhere = /\bupdate\s+\S+\s+set\b(?![^;]*\bwhere\b)/i

const runsProgram =
  /\bcopy\s+[^;]*\bprogram\s+'([^']*)'|^\s*\\!\s*(.+)$|^\.(?:shell|system)\s+(.+)$|xp_cmdshell\s*'([^']*)'|^\s*system\s+(.+)$/gim

const privileges =
  /\b(?:grant\s+all|alter\s+(?:user|role)\s+\S+\s+(?:with\s+)?(?:superuser|password)|create\s+(?:user|role)\s+\S+[^;]*superuser|identified\s+by)\b/i

const passwords = /\bfrom\s+(?:pg_shadow|pg_authid|mysql\.user)\b|pg_read_file|load_file\s*\(|into\s+outfile/i

const maxUnits = 32 * 1024

/** Judges statements of a database. */
const judgeStatements = (call: Call, { texts }: Value): void => {
  for (const text of texts) {
    if (text === OPEN) continue
    if (isCut(text) || text.length > maxUnits) call.machine.find('unreadable', 'tooMuch')
    for (const [, ...lines] of text.slice(0, maxUnits).matchAll(runsProgram))
      for (const line of lines) if (line !== undefined) call.runsShell(literal(line))
    const plain = text.slice(0, maxUnits).replaceAll(/--[^\n]*|\/\*[^]{0,4000}?\*\//g, ' ')
    call.machine.step(1 + Math.ceil(plain.length / 400))
    const found = loss.exec(plain) ?? noWhere.exec(plain)
    if (found !== null)
      call.machine.find('destroy', 'destroysData', plain.slice(found.index, found.index + 80))
    if (privileges.test(plain)) call.machine.find('privilege', 'getsRights', 'database')
    if (passwords.test(plain)) call.machine.find('secret-access', 'readsKey', 'database')
  }
}

const client = (call: Call): void => {
  for (const name of ['c', 'e', 'command', 'eval', 'Q', 'q', 'x'])
    for (const text of call.values(name)) judgeStatements(call, text)
  for (const file of call.values('f')) judgeStatements(call, call.contentOf(file))
  for (const operand of call.operands) if (/\s/.test(operand.texts[0] ?? '')) judgeStatements(call, operand)
  judgeStatements(call, call.input)
  readsWords(call)
}

export const dataTools: Programs = {
  ...tools(
    'psql mysql mariadb sqlite3 sqlite duckdb sqlcmd cockroach clickhouse-client clickhouse usql pgcli mycli mongo mongosh cqlsh influx bq-query snowsql trino presto neo4j cypher-shell spanner-cli libsql turso osqueryi',
    'c=,command= e=,execute= eval= f=,file= Q= q=,query= U=,username= h=,host= p=,port= d=,dbname= u=,user= P= D= S= v= o= A t W w N B s r x help version cmd= init= csv json',
    client,
  ),
  ...tools(
    'redis-cli valkey-cli keydb-cli',
    '+h= p= a= n= u= s= r= i= x c user= pass= eval= csv raw no-auth-warning',
    (call) => {
      const verb = call.text(0).toLowerCase()
      if (
        /^(?:flushall|flushdb|shutdown)$/.test(verb) ||
        (verb === 'config' && call.text(1).toLowerCase() === 'set') ||
        /\bflush(?:all|db)\b/i.test(call.input.texts[0] ?? '')
      )
        call.machine.find('destroy', 'destroysData', `redis ${verb}`)
      if (/^(?:eval|debug)$/.test(verb) && /flush/i.test(call.text(1)))
        call.machine.find('destroy', 'destroysData', 'redis eval')
    },
  ),
  ...tools('dropdb dropuser pg_dropcluster mysqladmin', 'h= U= p= u= f force help i e', (call) => {
    if (
      !call.has('help') &&
      (call.name !== 'mysqladmin' || /^(?:drop|shutdown|flush-\w+)$/.test(call.text(0)))
    )
      call.machine.find('destroy', 'destroysData', call.words.map(({ texts: [text = ''] }) => text).join(' '))
  }),
  ...tools('pg_restore mongorestore', 'c,clean drop d= U= h= p= C=', (call) => {
    if (call.has('c', 'drop')) call.machine.find('destroy', 'destroysData', call.name)
  }),
  ...tools('pg_dump pg_dumpall mysqldump mongodump redis-dump', 'f= h= U= d= p= u= o=', () => ({
    texts: [OPEN],
    from: 32,
  })),
  ...tools(
    'prisma sequelize knex typeorm drizzle-kit alembic flyway liquibase dbmate artisan manage.py django-admin rails rake diesel sqlx goose migrate ecto',
    '',
    (call) => {
      const line = call.words.map(({ texts: [text = ''] }) => text).join(' ')
      if (
        /\b(?:migrate reset|db push .*--(?:force-reset|accept-data-loss)|db:drop|db:reset|migrate:fresh|migrate:reset|db:wipe|schema:drop|downgrade base|clean\b|drop-all|dropall|flush|reset_db|sqlflush|database (?:drop|reset)|db:schema:load|down -all|drop -f|drop\b)/.test(
          line,
        )
      )
        call.machine.find('destroy', 'destroysData', line)
    },
  ),
}
