import { type Call, type Programs, tools } from '../../call.ts'
import { either, joined, OPEN, open, textOf, type Value } from '../../reading/value.ts'
import { anyOf, raw } from '../../../patterns.ts'

const loads = anyOf(
  'i',
  raw`\b(?:iex|invoke-expression|mshta)\b|downloadstring|frombase64string`,
  raw`\b(?:certutil|bitsadmin|regsvr32|rundll32)\b.{0,200}https?:`,
)

const destroys = anyOf(
  'i',
  raw`\b(?:remove-\w+|ri|rd|rmdir|del|erase|format(?:-volume)?|clear-(?:content|disk|item)|stop-computer)\b`,
  raw`\b(?:diskpart|vssadmin|cipher\s+\/w)\b`,
)

const givesRights = anyOf(
  'i',
  raw`\b(?:set-executionpolicy|add-localgroupmember|set-mppreference|reg\s+add|net\s+user)\b`,
  raw`\b(?:schtasks|new-service|register-scheduledtask)\b`,
)

/** PowerShell and cmd are not read by a grammar here: words that destroy or load are asked about. */
export const judgePowerShell = (call: Call, text: string): void => {
  if (loads.test(text)) call.find('remote-exec', /frombase64/i.test(text) ? 'runsDecoded' : 'runsDownload')
  else if (destroys.test(text)) call.find('destroy', 'otherShell', text)
  else if (givesRights.test(text)) call.find('privilege', 'otherShell', text)
  else if (cmdlet.test(text)) call.find('unreadable', 'otherShell', text)
}

/** A command of PowerShell that does more than show something. */
const cmdlet = /^(?!(?:Get|Test|Measure|Select|Compare|Write)-)[A-Z][a-z]+-[A-Z]/

/** One command of plain words is the same in each shell. */
const plain = /^[\w .,:=+/~*"'-]*$/

/** Runs a text of a shell that is not read by its own grammar. */
export const runsOther = (call: Call, text: Value): void => {
  const others = text.texts.filter((one) => one !== OPEN && !plain.test(one.trim()))
  for (const one of others) {
    judgePowerShell(call, one)
    call.find('unreadable', 'otherShell', one)
  }
  if (others.length === 0) call.runsText(text)
  else call.machine.guess(() => call.runsText(text))
}

const shell = (call: Call): Value | void => {
  if (call.has('help', 'version', 'n') && !call.words.some(({ texts }) => texts.includes('+n'))) return
  const operands = call.operands.filter(
    (word) => !/^[+-][a-zA-Z]$/.test(textOf(word)) || textOf(word) === '-',
  )
  const [first, ...rest] = operands
  if (call.has('c')) {
    if (first === undefined) return
    const [name, ...words] = rest
    const variables = new Map(call.given.variables)
    if (name !== undefined) variables.set('0', name)
    return call.runsText(first, { words, variables })
  }
  for (const file of call.values('rcfile')) call.runsFile(file, (content) => call.runsText(content))
  if (first !== undefined && !call.has('s') && textOf(first) !== '-')
    return call.runsFile(first, (content) => call.runsText(content, { words: rest })) ?? open()
  return call.machine.guess(() => call.runsText(call.input, { words: rest }))
}

/** `eval` and `source` change the shell that runs them. */
const inSameShell = (call: Call, text: Value): Value => {
  call.runsFresh(text)
  return call.machine.guess(() => call.inShell(text))
}

export const shellTools: Programs = {
  ...tools`sh bash dash zsh ksh ksh93 mksh ash yash rbash posh bash5 oksh:
    +o= O= rcfile=,init-file= help version`(shell),
  ...tools`fish nu elvish xonsh csh tcsh rc: +c,command= C= e=`((call) => {
    const [file] = call.operands
    const given = call.values('c C e')
    for (const text of given) runsOther(call, text)
    if (file !== undefined) call.runsFile(file, (content) => runsOther(call, content))
    else if (given.length === 0) runsOther(call, call.input)
    return open()
  }),
  ...tools`eval: +`((call) => inSameShell(call, joined(call.operands, ' '))),
  ...tools`source .: +`((call) => {
    const [name] = call.operands
    // In fish, it can be the input.
    if (name === undefined) return inSameShell(call, call.input)
    const content = call.reads(name, true)
    if (call.runsFresh(content)) return
    const known = content.texts.filter((text) => text !== OPEN)
    if (known.length > 0) return inSameShell(call, { ...content, texts: known })
    // A file that nobody knows can set each variable anew.
    for (const [key, value] of call.state.variables)
      call.state.variables.set(key, either([value, open(value.from)]))
  }),
  ...tools`powershell pwsh`((call) => {
    const { texts } = call
    if (texts.some((text) => /^[-/]e(?:n?c?|ncod\w*)$/i.test(text))) call.find('remote-exec', 'runsDecoded')
    const given = texts.findIndex((text) => /^[-/]c(?:o\w*)?$/i.test(text))
    const file = texts.findIndex((text) => /^[-/]f(?:i\w*)?$/i.test(text))
    if (given >= 0) runsOther(call, joined(call.words.slice(given + 1), ' '))
    else {
      const name = call.words[file >= 0 ? file + 1 : texts.findIndex((text) => !/^[-/]/.test(text))]
      if (name === undefined) runsOther(call, call.input)
      else call.runsFile(name, (content) => runsOther(call, content))
    }
    return open()
  }),
  ...tools`cmd cmd.exe`((call) => {
    const at = call.texts.findIndex((text) => /^\/[ck]$/i.test(text))
    runsOther(call, joined(call.words.slice(at + 1), ' '))
  }),
}
