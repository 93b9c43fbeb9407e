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
  child.stdout.on('data', (chunk) => {
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

export const Hookgate = ({ directory }) => {
  const asked = (event, input, more) => ask(event, { cwd: directory, ...input, ...more })
  return Promise.resolve({
    'chat.message': async (input, output) => {
      const { deny, context } = await asked('chat.message', { sessionID: input.sessionID, agent: input.agent, model: input.model }, { parts: output.parts })
      if (typeof deny === 'string') throw new Error(deny)
      const last = output.parts.findLast((part) => part.type === 'text')
      if (typeof context === 'string' && context !== '' && last !== undefined) last.text += `\n\n${context}`
    },
    'tool.execute.before': async (input, output) => {
      const { deny, args } = await asked('tool.execute.before', input, { args: output.args })
      if (typeof deny === 'string') throw new Error(deny)
      if (args !== undefined) become(output.args, args)
    },
    'tool.execute.after': async (input, output) => {
      const answer = await asked('tool.execute.after', input, { title: output.title, output: output.output, metadata: output.metadata })
      if (typeof answer.output === 'string') output.output = answer.output
    },
    'experimental.text.complete': async (input, output) => {
      const { deny, text } = await asked('experimental.text.complete', input, { text: output.text })
      if (typeof deny === 'string') output.text = `[withheld by a hook: ${deny}]`
      else if (typeof text === 'string') output.text = text
    },
  })
}
