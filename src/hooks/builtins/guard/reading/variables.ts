import { forked, type Machine, type State } from '../machine.ts'
import { either, empty, joined, type Value } from './value.ts'

export const setVariable = (state: State, name: string, value: Value, isAdded = false): void => {
  const before = state.variables.get(name)
  const next = isAdded ? joined([before ?? empty, value]) : value
  state.variables.set(name, state.isCertain || before === undefined ? next : either([before, next]))
}

/** Programs start what stands in these variables. */
const starters =
  /^(?:(?:GIT_|MAN)?PAGER|(?:GIT_|GIT_SEQUENCE_)?EDITOR|VISUAL|GIT_SSH(?:_COMMAND)?|GIT_(?:EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|S(?:SH|UDO)_ASKPASS|RSYNC_RSH|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|BROWSER|RUSTC_WRAPPER|CC|CXX|SHELL)$/

/** Programs load what stands in these variables. */
const loaders =
  /^(?:(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PYTHONSTARTUP)=.|(?:ENV|PERL5OPT|RUBYOPT)=.*[./])/s

/** With these, a program does not check whom it talks to, or leaves no trace. */
const unchecked =
  /^(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY)=0$|^GIT_SSL_NO_VERIFY=(?:1|true)$|^HISTFILE=\/dev\/null$|^HISTSIZE=0$/

/** Judges a variable that changes what other programs do. */
export const judgeSetting = (machine: Machine, state: State, name: string, { texts }: Value): void => {
  const { part } = machine
  for (const text of texts) {
    if (unchecked.test(`${name}=${text}`)) machine.find('privilege', 'dropsProtection', `${name}=${text}`)
    if (loaders.test(`${name}=${text}`)) machine.find('remote-exec', 'loadsCode', `${name}=${text}`)
    if (starters.test(name) && /\s|\//.test(text)) machine.runText(text, machine, forked(state))
    // A shell replaces what stands in its prompts, and takes functions from its environment.
    if (/^PS\d$/.test(name) && /[$`]/.test(text)) machine.runText(`: "${text}"`, machine, forked(state))
    if (name.startsWith('BASH_FUNC_')) machine.runText(`f${text}; f`, machine, forked(state))
  }
  machine.part = part
}
