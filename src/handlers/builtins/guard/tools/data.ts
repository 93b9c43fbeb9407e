import { type Call, finds, lineOf, nameOf, type Programs, tools } from '../call.ts'
import { isCut, literal, OPEN, open, origin, textOf, type Value } from '../reading/value.ts'
import { anyOf, raw } from '../../patterns.ts'

/** Statements that lose data. */
const loss = anyOf(
  'i',
  raw`\bdrop\s+(?:database|schema|table|user|role|tablespace|view|index|collection|keyspace|owned|extension)\b`,
  raw`\bdrop\s+(?:materialized|measurement|series|function|procedure|trigger|sequence|policy)\b`,
  raw`\btruncate\s+(?:table\s+)?[\w"\`.[]`,
  raw`\balter\s+table\s+\S+\s+drop\b`,
  raw`\bdelete\s+from\s+[\w"\`.[\]]+\s*(?:;|$|where\s+(?:1\s*=\s*1|true|1\b))`,
  raw`\bupdate\s+\S+\s+set\b(?![^;]{0,2000}\bwhere\b)`,
  raw`\b(?:flushall|flushdb|detach\s+delete|reset\s+master|purge\s+(?:binary|master)\s+logs)\b`,
  // Of MongoDB.
  raw`\bdrop(?:database|indexes|user)\s*\(`,
  raw`\.drop\s*\(\s*\)`,
  raw`\.(?:deletemany|updatemany|remove)\s*\(\s*\{\s*\}`,
)

/** What starts a program. */
const runsProgram = anyOf(
  'gim',
  raw`\bcopy\s+[^;]{0,400}\bprogram\s+'([^']*)'`,
  raw`xp_cmdshell\s*'([^']*)'`,
  raw`^\s*\\!\s*(.+)$`,
  raw`^\s*\.(?:shell|system)\s+(.+)$`,
  raw`^\s*\.read\s+\|(.+)$`,
  raw`^\s*system\s+(.+)$`,
)

/** `\i file`, `source file`, `.read file`. */
const readsFile = /^\s*(?:\\ir?|source|\\\.|\.read)\s+([^|\s;]+)/gim

const privileges = anyOf(
  'i',
  raw`\bgrant\s+all\b`,
  raw`\balter\s+(?:user|role)\s+\S+\s+(?:with\s+)?(?:superuser|password)\b`,
  raw`\bcreate\s+(?:user|role)\s+\S+[^;]{0,400}superuser\b`,
  raw`\bidentified\s+by\b`,
)

const passwords = anyOf(
  'i',
  raw`\bfrom\s+(?:pg_shadow|pg_authid|mysql\.user)\b`,
  raw`pg_read_file|load_file\s*\(|into\s+outfile`,
)

const maxUnits = 32 * 1024

/** Judges statements of a database. */
export const judgeStatements = (call: Call, { texts }: Value): void => {
  for (const text of texts) {
    if (text === OPEN) continue
    if (isCut(text) || text.length > maxUnits) call.find('unreadable', 'tooMuch')
    // Without long runs of spaces, none of the patterns takes long.
    const lean = text.slice(0, maxUnits).replaceAll(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' '))
    for (const [, ...lines] of lean.matchAll(runsProgram))
      for (const line of lines) if (line !== undefined) call.runsShell(literal(line))
    for (const [, name = ''] of lean.matchAll(readsFile)) {
      call.machine.step(5)
      call.machine.within(() => judgeStatements(call, call.contentOf(literal(name))))
    }
    const plain = lean.replaceAll(/--[^\n]*|\/\*[^]{0,4000}?\*\//g, ' ')
    call.machine.step(1 + Math.ceil(plain.length / 400))
    const found = loss.exec(plain)
    if (found !== null) call.find('destroy', 'destroysData', plain.slice(found.index, found.index + 80))
    if (privileges.test(plain)) call.find('privilege', 'getsRights', 'database')
    if (passwords.test(plain)) call.find('secret-access', 'readsKey', 'database')
  }
}

const client = (call: Call): void => {
  for (const text of call.values('c e eval Q q x')) judgeStatements(call, text)
  for (const file of call.values('f')) judgeStatements(call, call.contentOf(file))
  for (const operand of call.operands) if (/\s/.test(textOf(operand))) judgeStatements(call, operand)
  judgeStatements(call, call.input)
  call.readsWords()
}

export const dataTools: Programs = {
  ...tools`psql mysql mariadb sqlite3 sqlite duckdb sqlcmd cockroach clickhouse-client clickhouse usql pgcli
    mycli mongo mongosh cqlsh influx bq-query snowsql trino presto neo4j cypher-shell spanner-cli libsql
    osqueryi:
    c=,command= e=,execute= eval= f=,file= Q= q=,query= U=,username= h=,host= p=,port= d=,dbname= u=,user=
    P= D= S= v= o= help cmd= init=`(client),
  ...tools`redis-cli valkey-cli keydb-cli: +h= p= a= n= u= s= r= i= user= pass= eval=`((call) => {
    const verb = call.text(0).toLowerCase()
    if (
      /^(?:flushall|flushdb|shutdown)$/.test(verb) ||
      (verb === 'config' && call.text(1).toLowerCase() === 'set') ||
      // The keys come from a list that stands nowhere in the command.
      (/^(?:del|unlink)$/.test(verb) && call.operands.some(({ from }) => (from & origin.list) !== 0)) ||
      /\bflush(?:all|db)\b/i.test(textOf(call.input))
    )
      call.find('destroy', 'destroysData', `redis ${verb}`)
    if (call.has('rdb') || (verb === 'config' && /^requirepass$/i.test(call.text(2))))
      call.find('secret-access', 'printsKey', `redis ${verb}`)
    if (/^(?:eval|debug)$/.test(verb) && /flush|segfault/i.test(call.text(1)))
      call.find('destroy', 'destroysData', 'redis eval')
  }),
  ...tools`dropdb dropuser pg_dropcluster: h= U= p= u= help!`(finds('destroy', 'destroysData', lineOf)),
  ...tools`mysqladmin: h= U= p= u= help!`(
    finds('destroy', 'destroysData', lineOf, /^(?:drop|shutdown|flush-\w+)(?:\n|$)/),
  ),
  ...tools`pg_restore mongorestore: c,clean drop d= U= h= p= C=`(
    finds('destroy', 'destroysData', nameOf, 'c drop'),
  ),
  ...tools`pg_dump pg_dumpall mysqldump mongodump redis-dump: f= h= U= d= p= u= o=`(() =>
    open(origin.folder),
  ),
}
