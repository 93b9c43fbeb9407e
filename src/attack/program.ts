/**
 * The attacker is a process with the rights of the agent. It tries what the gate's side asks for, one line of
 * JSON each, and reports the result. Its report counts only against the gate, because the other side judges
 * whether the gate held.
 */
import fs from 'node:fs'
import { createInterface } from 'node:readline'
import { refused, type Order, type ForgeryReport, type Target } from './forgery.ts'
import { forgeries } from './table.ts'

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

const attempt = async (name: string, target: Target): Promise<ForgeryReport> => {
  const forgery = forgeries.find((one) => one.name === name)
  if (forgery === undefined) return refused('no such forgery')
  try {
    return await forgery.attempt(target)
  } catch (error) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
    return refused(
      code ||
        (error instanceof Error && error.message !== ''
          ? (error.message.trim().split('\n').at(-1)?.slice(0, 200) ?? '')
          : 'it failed'),
    )
  }
}

/** Restores a file of the workspace. The agent's user does it, because that user may change the file. */
const putBack = (path: string, base64: string | undefined, mode: number): boolean => {
  try {
    fs.rmSync(path, { recursive: true, force: true })
    if (base64 !== undefined) fs.writeFileSync(path, Buffer.from(base64, 'base64'), { mode })
    return true
  } catch {
    return false
  }
}

let target: Target | undefined
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order
  if ('target' in order) target = order.target
  else if ('isAlive' in order) say({ isAlive: true })
  else if ('putBack' in order)
    say({ putBack: putBack(order.putBack.path, order.putBack.base64, order.putBack.mode) })
  else if (target !== undefined) say({ report: await attempt(order.attempt, target) })
}
process.exit(0)
