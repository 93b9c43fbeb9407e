import { oneOf } from '../../patterns.ts'
import { forked, type State } from '../machine.ts'
import { either, empty, joined, type Value } from './value.ts'

export const setVariable = (state: State, name: string, value: Value, isAdded = false): void => {
  const before = state.variables.get(name)
  const next = isAdded ? joined([before ?? empty, value]) : value
  state.variables.set(name, state.isCertain || before === undefined ? next : either([next, before]))
}

/** Programs start what stands in these variables. */
const starters = new RegExp(
  `^${oneOf`
    (?:GIT_|MAN)?PAGER (?:GIT_|GIT_SEQUENCE_)?EDITOR VISUAL BROWSER SHELL PROMPT_COMMAND
    GIT_SSH(?:_COMMAND)? GIT_(?:EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND) (?:SSH|SUDO)_ASKPASS RSYNC_RSH
    LESSOPEN LESSCLOSE RUSTC_WRAPPER CC CXX
  `}$`,
)

/** Programs load what stands in these variables. */
const loaders =
  /^(?:(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PYTHONSTARTUP)=.|(?:ENV|PERL5OPT|RUBYOPT)=.*[./])/s

/** With these, a program does not check whom it talks to, or leaves no trace. */
const unchecked = new RegExp(
  `^${oneOf`
    (?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY|HISTSIZE)=0 GIT_SSL_NO_VERIFY=(?:1|true)
    HISTFILE=/dev/null
  `}$`,
)

/** Ends a here-document, and stands in no command. */
const end = '\uE017'

/** Runs the substitutions in a text. */
export const runsInside = (state: State, text: string): void => {
  if (!/[$`]/.test(text)) return
  const { machine } = state
  machine.guess(() => machine.runText(`: <<${end}\n${text}\n${end}`, forked(state)))
}

/** Judges a variable that changes what other programs do. */
export const judgeSetting = (state: State, name: string, { texts }: Value): void => {
  const { machine } = state
  const { part } = machine
  for (const text of texts) {
    const setting = `${name}=${text}`
    if (unchecked.test(setting)) machine.find('privilege', 'dropsProtection', setting)
    if (loaders.test(setting)) machine.find('remote-exec', 'loadsCode', setting)
    if (starters.test(name) && /[\s/${]/.test(text)) machine.runText(text, forked(state))
    // A shell replaces what stands in its prompts and, when it calculates, in the index of a name. It takes
    // functions from its environment.
    if (/^PS\d$/.test(name) || text.includes('[')) runsInside(state, text)
    if (name.startsWith('BASH_FUNC_')) machine.runText(`f${text}; f`, forked(state))
  }
  machine.part = part
}
