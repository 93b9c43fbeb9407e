#!/usr/bin/env node
// pre_tool_call: asks the person before a command that may delete for good: rm with -r or -f, find -delete, git reset
// --hard, a forced push, dd, mkfs, a dropped table. It looks at words anywhere in the command, and it would
// rather ask once too often. It does not find what is spelled in another way, or what a script on disk does.
// block_destructive.sh reads a command as a shell does; it needs python3.

const events = ['pre_tool_call']

const asks = (name, is) => ({ name, is })
const flagged = (pattern) => (rest) => rest.some((word) => pattern.test(word))
const has =
  (...words) =>
  (rest) =>
    words.some((word) => rest.includes(word))
const always = () => true

/** What each command may destroy, by its name and the words behind it. */
const commands = {
  rm: [asks('rm -r or -f', flagged(/^-[a-z]*[rf]|^--(?:recursive|force)/i))],
  find: [asks('find -delete', has('-delete'))],
  git: [
    asks('git reset --hard', (rest) => rest.includes('reset') && rest.includes('--hard')),
    asks('git clean', (rest) => rest.includes('clean') && flagged(/^-[a-z]*f|^--force$/i)(rest)),
    asks(
      'a forced push',
      (rest) => rest.includes('push') && flagged(/^-[a-z]*[fd]$|^--(?:force|mirror|delete)|^\+/)(rest),
    ),
  ],
  dd: [asks('dd', flagged(/^of=/))],
  ...Object.fromEntries(
    ['mkfs', 'wipefs', 'shred', 'blkdiscard', 'shutdown', 'reboot', 'poweroff'].map((name) => [
      name,
      [asks(name, always)],
    ]),
  ),
  drop: [asks('DROP', (rest) => ['table', 'database', 'schema'].includes(rest[0]?.toLowerCase()))],
  truncate: [asks('TRUNCATE', (rest) => rest[0]?.toLowerCase() === 'table')],
}

/** How many words behind a command's name are its own, at most. */
const maxWords = 50
const textKeys = ['command', 'cmd', 'script', 'shell', 'commands', 'argv', 'args', 'query', 'sql']

/** The texts that a tool's input would have a shell or a database run. */
const textsIn = (value, key = '') => {
  if (typeof value === 'string') return key === '' || textKeys.includes(key) ? [value] : []
  if (Array.isArray(value))
    return textKeys.includes(key) ? [value.filter((one) => typeof one === 'string').join(' ')] : []
  return value === null || typeof value !== 'object'
    ? []
    : // A client in Go takes CMD for cmd.
      Object.entries(value).flatMap(([name, inner]) => textsIn(inner, name.toLowerCase()))
}

const findIn = (text) => {
  const words = text.split(/[\s;|&(){}'"`\\]+/)
  for (const [at, word] of words.entries()) {
    const name = word
      .slice(word.lastIndexOf('/') + 1)
      .toLowerCase()
      .replace(/^(mkfs)\..*/, '$1')
    if (!Object.hasOwn(commands, name)) continue
    const found = commands[name].find(({ is }) => is(words.slice(at + 1, at + 1 + maxWords)))
    if (found !== undefined) return found.name
  }
  return undefined
}

const judge = (payload) => {
  if (Array.isArray(payload)) throw new TypeError('not an object')
  const found = textsIn(payload.tool_input ?? {})
    .map(findIn)
    .find((name) => name !== undefined)
  return found === undefined ? undefined : { decision: 'ask', reason: `This may delete for good: ${found}.` }
}

const selfTest = () => {
  const cases = [
    ['rm -rf node_modules', 'rm -r or -f'],
    ['cd x && sudo /bin/rm -v --recursive old', 'rm -r or -f'],
    ['ls; echo "$(rm -fr x)"', 'rm -r or -f'],
    ['find . -name "*.log" -delete', 'find -delete'],
    ['git -C x reset --hard HEAD~1', 'git reset --hard'],
    ['git push -f', 'a forced push'],
    ['git push origin +main', 'a forced push'],
    ['git clean -xdf', 'git clean'],
    ['dd if=/dev/zero of=/dev/sda', 'dd'],
    ['mkfs.ext4 /dev/sdb1', 'mkfs'],
    ['psql -c "DROP TABLE users"', 'DROP'],
    ['rm note.txt', undefined],
    ['git push origin feature', undefined],
    ['git reset README.md', undefined],
    ['grep -rf words.txt .', undefined],
    ['echo farm -rf', undefined],
    ['find . -name delete', undefined],
    ['drop the ball', undefined],
    ['', undefined],
  ]
  const wrong = cases.filter(
    ([text, expected]) =>
      judge({ tool_input: { command: text } })?.reason !==
      (expected && `This may delete for good: ${expected}.`),
  )
  if (judge({ tool_input: { path: 'a', content: 'rm -rf /' } }) !== undefined)
    wrong.push(['a file that speaks of it'])
  if (judge({ tool_input: { argv: ['rm', '-rf', 'x'] } }) === undefined) wrong.push(['a list of words'])
  if (judge({ tool_input: { cmd: 'ls', CMD: 'rm -rf x' } }) === undefined) wrong.push(['a name in capitals'])
  console.log(
    [
      `${cases.length + 3 - wrong.length} passed, ${wrong.length} failed`,
      ...wrong.map(([text]) => text),
    ].join('\n  '),
  )
  return wrong.length > 0 ? 1 : 0
}

const main = async () => {
  if (process.argv[2] === '--self-test') return selfTest()
  const chunks = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  let payload
  let answer
  try {
    payload = JSON.parse(Buffer.concat(chunks).toString())
    answer = judge(payload)
  } catch (error) {
    // The name alone: a parser's message quotes what it read.
    console.error(`Expected one JSON payload on stdin, got something that cannot be read (${error.name}).`)
    return 1
  }
  if (!events.includes(payload.event)) {
    console.error(
      `Expected one of the events ${events.join(', ')}, got ${String(payload.event).slice(0, 40)}. Move the entry to one of them`,
    )
    return 1
  }
  if (answer !== undefined) console.log(JSON.stringify(answer))
  return 0
}

process.exitCode = await main()
