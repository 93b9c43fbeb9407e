import { prose, type Prose } from '../../../src/core/model/chat/prose.ts'
import type { WechatyInterface } from 'wechaty/impls'
import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import type { Loaded, WechatOptions } from '../options.ts'
import { nameOf } from '../outcome.ts'
import { findPuppet, isNotInstalled, type Puppet } from './puppet.ts'
import { closePuppet, type PuppetGuard } from '../puppet-guard.ts'
import { ourWords } from '../../../src/shared/said/our-words.ts'

/** The bot before its start, and its closed puppet. */
export interface Connection {
  readonly bot: WechatyInterface
  readonly puppet: Puppet
  readonly guard: PuppetGuard
}

export interface ConnectPorts extends Pick<ChannelPorts, 'now' | 'elapsedMs' | 'log'> {
  readonly options: Pick<WechatOptions, 'puppet' | 'ilink' | 'number' | 'load'>
  /** Tells the owners about the state of hookgate's own puppet. */
  tell(what: Prose, isBack: boolean): void
  /** Reports a call of a sending method that did not come from the dispatcher. */
  tripped(method: string): void
  /** Reports to the owners why there is no connection. */
  failed(why: Prose): void
}

/**
 * Loads wechaty. It would print the texts of messages, and at verbose levels it would handle the uncaught
 * errors of the process. Both depend on its log level, so the level is set to silent before the import.
 */
const loadWechaty = async (): Promise<Loaded> => {
  const { log } = await import('wechaty-puppet')
  log.level('silent')
  return await import('wechaty')
}

const makeOwnPuppet = async ({ options, ...ports }: ConnectPorts): Promise<object> => {
  const { createPuppet } = await import('../ilink/puppet.ts')
  return createPuppet(options.ilink ?? {}, {
    now: () => ports.now(),
    elapsedMs: () => ports.elapsedMs(),
    log: ports.log,
    trouble: ports.tell,
    number: options.number,
  })
}

/**
 * Builds the bot with the configured puppet, which is closed first. Without a puppet, wechaty would use a
 * default one and connect to the internet. Undefined after `failed` was called.
 */
export const connect = async (ports: ConnectPorts): Promise<Connection | undefined> => {
  const { options } = ports
  const wechaty = await (options.load ?? loadWechaty)().catch((error: unknown) => {
    ports.failed(
      isNotInstalled(error)
        ? prose`not connected, the package wechaty is not installed. Run "npm install --global wechaty wechaty-puppet" (in a clone: npm ci --prefix bots/wechat), then restart.`
        : prose`not connected, the package wechaty could not be loaded (${ourWords(nameOf(error))}). Install it again, then restart.`,
    )
  })
  if (wechaty === undefined) return undefined
  const puppet = (
    options.puppet === 'ilink' ? await makeOwnPuppet(ports) : await findPuppet(options.puppet)
  ) as Puppet
  const guard = closePuppet(puppet, ports.tripped)
  return { bot: wechaty.WechatyBuilder.build({ puppet }), puppet, guard }
}
