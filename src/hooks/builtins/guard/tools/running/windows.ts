import { type Call, type Programs, tools } from '../../call.ts'
import { open } from '../../reading/value.ts'
import { runsFile, runsFresh } from './fresh.ts'

/** PowerShell and cmd are not read by a grammar here: words that destroy or load are asked about. */
export const judgePowerShell = (call: Call, text: string): void => {
  const { machine } = call
  if (
    /\b(?:iex|invoke-expression|mshta)\b|downloadstring|frombase64string/i.test(text) ||
    /\b(?:certutil|bitsadmin|regsvr32|rundll32)\b.*https?:/i.test(text)
  )
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
}

export const windowsTools: Programs = {
  ...tools('powershell pwsh', '', (call) => {
    const texts = call.words.map(({ texts: [text = ''] }) => text)
    const encoded = texts.find((text) => /^[-/]e(?:n?c?|ncod\w*)$/i.test(text))
    if (encoded !== undefined) call.machine.find('remote-exec', 'runsDecoded')
    const given = texts.findIndex((text) => /^[-/]c(?:o\w*)?$/i.test(text))
    const file = texts.findIndex((text) => /^[-/]f(?:i\w*)?$/i.test(text))
    if (given >= 0) judgePowerShell(call, texts.slice(given + 1).join(' '))
    else {
      const name = call.words[file >= 0 ? file + 1 : texts.findIndex((text) => !/^[-/]/.test(text))]
      if (name === undefined) runsFresh(call, call.input)
      else runsFile(call, name, () => undefined)
    }
    return open()
  }),
  ...tools('cmd cmd.exe', '', (call) => {
    judgePowerShell(call, call.words.map(({ texts: [text = ''] }) => text).join(' '))
  }),
}
