import { type Call, type Programs, tools } from '../../call.ts'
import { joined, OPEN, open, type Value } from '../../reading/value.ts'
import { runsFile, runsText } from './fresh.ts'

/** PowerShell and cmd are not read by a grammar here: words that destroy or load are asked about. */
export const judgePowerShell = (call: Call, text: string): void => {
  const { machine } = call
  if (/\b(?:iex|invoke-expression)\b|downloadstring|frombase64string/i.test(text))
    machine.find('remote-exec', /frombase64/i.test(text) ? 'runsDecoded' : 'runsDownload')
  else if (
    /\b(?:remove-item|ri|rd|rmdir|del|erase|format(?:-volume)?|clear-(?:content|disk|item)|remove-\w+|stop-computer|diskpart|cipher\s+\/w|vssadmin)\b/i.test(
      text,
    )
  )
    machine.find('destroy', 'otherShell', text)
  else if (
    /\b(?:set-executionpolicy|add-localgroupmember|set-mppreference|schtasks|new-service|register-scheduledtask|reg\s+add|net\s+user)\b/i.test(
      text,
    )
  )
    machine.find('privilege', 'otherShell', text)
  else if (cmdlet.test(text)) machine.find('unreadable', 'otherShell', text)
}

/** A command of PowerShell that does more than show something. */
const cmdlet = /^(?!(?:Get|Test|Measure|Select|Compare|Write)-)[A-Z][a-z]+-[A-Z]/

/** One command of plain words is the same in each shell. */
const plain = /^[\w .,:=+/~*"'-]*$/

/** Runs a text of a shell that is not read by its own grammar. */
export const runsOther = (call: Call, text: Value): undefined => {
  const others = text.texts.filter((one) => one !== OPEN && !plain.test(one.trim()))
  for (const one of others) {
    judgePowerShell(call, one)
    call.machine.find('unreadable', 'otherShell', one)
  }
  if (others.length === 0) runsText(call, text)
  else call.machine.guess(() => runsText(call, text))
}

const textsOf = ({ words }: Call): readonly string[] => words.map(({ texts: [text = ''] }) => text)

export const windowsTools: Programs = {
  ...tools('powershell pwsh', '', (call) => {
    const texts = textsOf(call)
    const encoded = texts.find((text) => /^[-/]e(?:n?c?|ncod\w*)$/i.test(text))
    if (encoded !== undefined) call.machine.find('remote-exec', 'runsDecoded')
    const given = texts.findIndex((text) => /^[-/]c(?:o\w*)?$/i.test(text))
    const file = texts.findIndex((text) => /^[-/]f(?:i\w*)?$/i.test(text))
    if (given >= 0) runsOther(call, joined(call.words.slice(given + 1), ' '))
    else {
      const name = call.words[file >= 0 ? file + 1 : texts.findIndex((text) => !/^[-/]/.test(text))]
      if (name === undefined) runsOther(call, call.input)
      else runsFile(call, name, (content) => runsOther(call, content))
    }
    return open()
  }),
  ...tools('cmd cmd.exe', '', (call) => {
    const at = textsOf(call).findIndex((text) => /^\/[ck]$/i.test(text))
    runsOther(call, joined(call.words.slice(at + 1), ' '))
  }),
}
