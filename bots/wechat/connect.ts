import type { WechatyInterface } from 'wechaty/impls'
import type { ChannelPorts } from '../../src/model/channel.ts'
import type { Loaded, WechatOptions } from './options.ts'
import { nameOf } from './outcome.ts'
import { findPuppet, isNotInstalled, type Puppet } from './puppet.ts'
import { closePuppet, type PuppetGuard } from './puppet-guard.ts'

/** The bot before it is started, and its one puppet, which is closed. */
export interface Connection {
  readonly bot: WechatyInterface
  readonly puppet: Puppet
  readonly guard: PuppetGuard
}

export interface ConnectPorts extends Pick<ChannelPorts, 'now' | 'elapsedMs' | 'log'> {
  readonly options: Pick<WechatOptions, 'puppet' | 'ilink' | 'number' | 'load'>
  /** Tells the owners how our own puppet fares. */
  tell(what: string, isBack: boolean): void
  /** A send of the puppet was called that did not come through the door. */
  tripped(method: string): void
  /** Why there is no connection, in words for the owners. */
  failed(why: string): void
}

/**
 * wechaty prints message texts, and at its louder levels takes over the process's uncaught errors while it is imported.
 * Both hang on one log level, which is therefore set to silent before wechaty itself comes in.
 */
const loadWechaty = async (): Promise<Loaded> => {
  const { log } = await import('wechaty-puppet')
  log.level('silent')
  return await import('wechaty')
}

const makeOwnPuppet = async ({ options, ...ports }: ConnectPorts): Promise<object> => {
  const { createPuppet } = await import('./ilink/puppet.ts')
  return createPuppet(options.ilink ?? {}, {
    now: () => ports.now(),
    elapsedMs: () => ports.elapsedMs(),
    log: ports.log,
    trouble: ports.tell,
    ...(options.number === undefined ? {} : { number: options.number }),
  })
}

/** wechaty always gets the one puppet that was configured, closed: left to itself it would reach for a default one, and with it the internet. Undefined after `failed`. */
export const connect = async (ports: ConnectPorts): Promise<Connection | undefined> => {
  const { options } = ports
  const wechaty = await (options.load ?? loadWechaty)().catch((error: unknown) => {
    ports.failed(
      isNotInstalled(error)
        ? 'The package wechaty is not installed; run "npm install wechaty wechaty-puppet" where hookgate is installed, then restart.'
        : `The package wechaty could not be loaded (${nameOf(error)}); install it again, then restart.`,
    )
  })
  if (wechaty === undefined) return undefined
  const puppet = (
    options.puppet === 'ilink' ? await makeOwnPuppet(ports) : await findPuppet(options.puppet)
  ) as Puppet
  const guard = closePuppet(puppet, ports.tripped)
  return { bot: wechaty.WechatyBuilder.build({ puppet }), puppet, guard }
}
