import { isFirstStart, packageRoot, prepareFolders } from '../config/first-start.ts'
import type { Config } from '../config/load.ts'
import { makeRoom } from './health/reserve-watch.ts'
import { takeHome } from '../shared/disk/lock.ts'
import { isolate, type Isolation } from '../isolation/isolation.ts'
import { version } from '../config/version.ts'
import { openStore, type OpenedStore } from '../store/open.ts'
import type { AssemblyOptions } from './base.ts'
import type { Phase } from './health/unready.ts'
import { holdPorts } from './health/held-ports.ts'
import { createWaitingServer, type WaitingServer } from './health/waiting-server.ts'

type End = () => void | Promise<void>

/** The things that end with the gate. */
export interface Life {
  phase(): Phase
  /** Adds functions that run when the gate stops, the last added first. */
  onStop(...ends: readonly End[]): void
  /** Adds the last of them. Everything has started. */
  started(...ends: readonly End[]): void
  /** Ends everything. Never rejects. */
  stop(): Promise<void>
}

export const createLife = (): Life => {
  const ends: End[] = []
  let phase: Phase = 'starting'
  return {
    phase: () => phase,
    onStop: (...more) => void ends.push(...more),
    started: (...last) => {
      ends.push(...last)
      if (phase === 'starting') phase = 'started'
    },
    stop: async () => {
      phase = 'stopping'
      for (const end of ends.splice(0).toReversed()) await Promise.resolve(end()).catch(() => undefined)
    },
  }
}

/** What the gate stands on: its folders, its store's file and the separation of its agents and hooks. */
export interface Ground {
  /** True at the first start with this folder. */
  readonly isFirst: boolean
  /** It answers on the page's port before the page does. */
  readonly waiting: WaitingServer
  readonly isolation: Isolation
  /** Opens the store, if it is not being opened already. */
  open(): Promise<OpenedStore>
}

/** Takes the gate's folder and finds out by programs how agents can be separated. */
const prepare = async (config: Config, options: AssemblyOptions, life: Life): Promise<Ground> => {
  const { home, workspace } = config
  const { log } = options
  prepareFolders(home, workspace)
  makeRoom(home)
  life.onStop(takeHome(home).release)
  const waiting = createWaitingServer(config.web.port, log)
  life.onStop(waiting.close)
  const isFirst = isFirstStart(home)
  const openNow = async (): Promise<OpenedStore> => {
    let freePorts: (() => Promise<void>) | undefined
    try {
      return await openStore({
        home,
        database: config.database,
        // A gate that has no database loads less.
        follow: async (lines) => {
          const { followLedger } = await import('../core/gatekeeper/ledger/follow.ts')
          return followLedger(home, lines)
        },
        version: version(),
        log,
        openFile: options.openFile,
        waits: async (holder) => {
          options.console?.say(
            `Another hookgate works on this database (${holder}). This one waits, and takes over when that one ends.`,
          )
          await waiting.open()
          freePorts = await holdPorts(config)
        },
      })
    } finally {
      await freePorts?.()
    }
  }
  // A file opens in its thread while programs find out what separates an agent on this machine. A database
  // can make this gate wait for another one, so it comes after everything that can fail.
  let opening = config.database === undefined ? openNow() : undefined
  life.onStop(async () => (await opening)?.close())
  // When the file cannot be opened while the programs run, that is told later.
  opening?.catch(() => undefined)
  // The agents of nodes have no user and no sandbox here.
  const agents = config.agents.filter(({ node }) => node === undefined)
  const isolation = await isolate({ ...config, agents, root: packageRoot() })
  return { isFirst, waiting, isolation, open: () => (opening ??= openNow()) }
}

/** A gate that has begun to start. */
export interface Begun {
  readonly config: Config
  readonly options: AssemblyOptions
  readonly life: Life
  readonly ground: Promise<Ground>
}

/**
 * Begins a gate. This file imports little, so that the code of all chapters can be loaded while the programs
 * of the ground run.
 */
export const startGround = (config: Config, options: AssemblyOptions): Begun => {
  const life = createLife()
  const ground = prepare(config, options, life)
  // Whoever awaits it is told when it fails. That may be later.
  ground.catch(() => undefined)
  return { config, options, life, ground }
}
