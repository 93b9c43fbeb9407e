// hookgate: written by "hookgate bridge install opencode"; remove this file to take it away.
// OpenCode waits for a plugin without end, so every wait here has one. The bridge is started for each event: what decides
// while the gate is away stands there, in one place. To refuse, a hook throws; a rewrite changes the object where it is.
import { spawn } from 'node:child_process'

/** Event → {command, seconds}; filled in when this file is installed. */
const commands = {}

/** What the gate says of one event. What cannot be asked is refused, where it can be. */
const ask = (event, payload) => new Promise((resolve) => {
  const { command, seconds } = commands[event]
  let out = ''
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'ignore'] })
  const timer = setTimeout(() => {
    child.kill('SIGKILL')
    resolve({ deny: 'hookgate did not answer in time.' })
  }, seconds * 1000)
  const end = (answer) => {
    clearTimeout(timer)
    resolve(answer)
  }
  child.on('error', () => end({ deny: 'hookgate could not be started.' }))
  child.stdin.on('error', () => undefined)
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk
  })
  child.on('close', (code) => {
    try {
      if (code !== 0) throw new Error('it failed')
      end(out.trim() === '' ? {} : JSON.parse(out))
    } catch {
      end({ deny: 'hookgate could not judge this.' })
    }
  })
  child.stdin.end(JSON.stringify(payload))
})

/** Makes an object equal to another without putting another in its place: OpenCode keeps the one that it handed out. */
const become = (target, wanted) => {
  for (const key of Object.keys(target)) if (!Object.hasOwn(wanted, key)) delete target[key]
  Object.assign(target, wanted)
}

const textOf = (parts) => parts.filter((part) => part.type === 'text')

export const Hookgate = ({ client, directory }) => {
  const asked = (event, input, output) => ask(event, { cwd: directory, input, output })
  /** What the agent said last in each session; at its end the claim is judged by it. */
  const said = new Map()
  const atEnd = async (sessionID) => {
    const { prompt } = await asked('session.idle', { sessionID }, { text: said.get(sessionID) ?? '' })
    said.delete(sessionID)
    if (typeof prompt === 'string') await client.session.promptAsync({ path: { id: sessionID }, body: { parts: [{ type: 'text', text: prompt }] } })
  }
  return Promise.resolve({
    event: async ({ event: { type, properties } }) => {
      if (type === 'session.created') await asked(type, { sessionID: properties.info.id }, {})
      if (type === 'session.idle') await atEnd(properties.sessionID)
    },
    'chat.message': async (input, output) => {
      const parts = textOf(output.parts)
      const { deny, text } = await asked('chat.message', { sessionID: input.sessionID }, { parts: parts.map((part) => ({ type: 'text', text: part.text })) })
      if (typeof deny === 'string') throw new Error(deny)
      if (typeof text === 'string') for (const [index, part] of parts.entries()) part.text = index === 0 ? text : ''
    },
    'experimental.chat.system.transform': async (input, output) => {
      const { context } = await asked('system.transform', { sessionID: input.sessionID, model: { id: input.model?.id } }, { system: output.system })
      if (typeof context === 'string') output.system.push(context)
    },
    'tool.execute.before': async (input, output) => {
      const { deny, args } = await asked('tool.execute.before', input, { args: output.args })
      if (typeof deny === 'string') throw new Error(deny)
      if (args !== undefined) become(output.args, args)
    },
    'tool.execute.after': async (input, output) => {
      const { text } = await asked('tool.execute.after', input, { output: output.output })
      if (typeof text === 'string') output.output = text
    },
    'experimental.text.complete': async (input, output) => {
      const { deny, text } = await asked('text.complete', { sessionID: input.sessionID }, { text: output.text })
      // Refused by this file itself, because the bridge could not be had.
      if (typeof deny === 'string') output.text = `[withheld: ${deny}]`
      else if (typeof text === 'string') output.text = text
      said.set(input.sessionID, output.text)
    },
  })
}
