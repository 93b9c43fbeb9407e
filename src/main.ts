import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createAnnouncer } from './commands/announce.ts'
import { heldCard } from './commands/held.ts'
import { createProposalWatcher } from './commands/proposal-watcher.ts'
import { firstWord, parseChat, type Line } from './commands/parse.ts'
import type { CommandPorts } from './commands/ports.ts'
import { createViewers, preferencesOf } from './commands/preferences.ts'
import { switchFileEditText } from './commands/switch.ts'
import { createTable, menu } from './commands/table.ts'
import { startAgents } from './compose/agents.ts'
import { createBridge } from './compose/bridge.ts'
import { createChannels } from './compose/channels.ts'
import { createDoctorChapter } from './compose/doctor.ts'
import { startProposalReader } from './compose/proposal-reader.ts'
import { createPermissionChapter } from './compose/permissions.ts'
import { copyDefaults, packageRoot, prepareFolders } from './config/first-start.ts'
import type { Config } from './config/load.ts'
import { createSwitchFileWriter, switchFile } from './config/switch-file.ts'
import { watch } from './config/watch.ts'
import { decodeFor, envFor, stdinFor, viewFor, variablesOf } from './dialects/dialects.ts'
import { createDispatcher, type Dispatcher } from './dispatcher/dispatcher.ts'
import { createReports } from './dispatcher/reports.ts'
import { createActs } from './gatekeeper/acts.ts'
import { catalogue } from './gatekeeper/catalogue.ts'
import { openGatekeeper, type Gatekeeper } from './gatekeeper/gatekeeper.ts'
import { createOwnerActs } from './gatekeeper/owner-acts.ts'
import { inertHooks } from './gatekeeper/inert.ts'
import { takeHome } from './gatekeeper/lock.ts'
import { createReading } from './gatekeeper/reading.ts'
import { createReserve, createReserveWatch, makeRoom } from './gatekeeper/reserve.ts'
import { createUpkeep } from './gatekeeper/upkeep.ts'
import { startHookPlane } from './hooks/plane.ts'
import { createHomeWatch } from './hooks/home-watch.ts'
import { shellHooksFile } from './hooks/sources/place.ts'
import { createChats } from './inbox/chats.ts'
import { createInbox } from './inbox/receive.ts'
import { createPrompts } from './inbox/prompts.ts'
import type { Row } from './model/catalogue.ts'
import type { Channel, ChannelPorts } from './model/channel.ts'
import { systemClock } from './model/clock.ts'
import { prose } from './model/prose.ts'
import { createBuiltinExchange } from './server/builtins.ts'
import { separate, type House } from './separation/separation.ts'
import { createFileStore } from './store/files.ts'
import { openStore, type Store } from './store/store.ts'

type Log = ChannelPorts['log']

export interface Options {
  readonly log: Log
  /** Channels beside those of the configuration. */
  readonly channels?: (ports: ChannelPorts) => readonly Channel[]
  /** The terminal where the gate was started. */
  readonly console?: {
    say(line: string): void
    /** A login of the page was used. */
    entered(): void
    /** Asks for a number that the person types. Undefined: there was none. */
    number?(prompt: string, signal: AbortSignal): Promise<string | undefined>
  }
}

export interface AssemblyOptions extends Options {
  /**
   * A tap on a card's answers counts when the card is at least so old, in milliseconds. Absent: 1000. Tests tap at once.
   */
  readonly leastAgeMs?: number
}

/** The parts of a running gate. They can open it, so the public API gives none of them away. */
export interface Parts {
  readonly dispatcher: Dispatcher
  readonly gatekeeper: Gatekeeper
  readonly store: Store
  readonly separation: House['separation']
  rows(): readonly Row[]
  /** A fresh one-time login address, and a fresh pairing code while the gate is nobody's. */
  invite(): { readonly login: string; readonly pairing?: string }
  stop(): Promise<void>
}

/** How soon a changed script is noticed, in milliseconds. */
const lookEveryMs = 1000
/** The person at the console, by the web page that only the console's login opens. */
export const webOwner = { id: 'web:owner', chat_id: 'main' }

/** 48 random bits: short enough to type from a phone, far more than a history has rows. */
const newId = (): string => randomUUID().slice(24)
const { now, elapsedMs } = systemClock
const after = (delayMs: number, run: () => void): void => void setTimeout(run, delayMs)

const adopted = (owners: readonly string[]) => [
  webOwner,
  ...owners.map((id) => ({ id, chat_id: id.slice(id.indexOf(':') + 1) })),
]

/** Puts the parts together and starts them. Throws a ProblemError when that fails, and then nothing is left running. */
export const assemble = async (config: Config, options: AssemblyOptions): Promise<Parts> => {
  const { home, workspace } = config
  const { log } = options
  const endings: (() => void | Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).toReversed()) await Promise.resolve(end()).catch(() => undefined)
  }
  try {
    prepareFolders(home, workspace)
    makeRoom(home)
    endings.push(takeHome(home).release)
    const house = separate({ ...config, root: packageRoot() })
    const reader = startProposalReader({
      home,
      workspace,
      path: house.world.path,
      person: config.person,
      userHooks: config.agentHooks,
      readLaw: house.readLaw,
      http: config.http,
      listed: config.hooksEnv,
      hasModel: config.llm !== undefined,
      log,
    })
    endings.push(() => reader.stop())
    const notCopied = copyDefaults(home, workspace, house.asAgent)
    if (notCopied !== undefined)
      log('warn', 'not all examples and pages could be copied into the workspace', { why: notCopied })
    const store = await openStore({ path: join(home, 'state.db'), log })
    endings.push(() => store.close())

    await reader.begun()
    const gatekeeper = openGatekeeper({
      home,
      workspace,
      path: house.world.path,
      person: config.person,
      variables: variablesOf,
      refuses: house.refuses,
      now,
      elapsedMs,
      log,
      ...(options.leastAgeMs === undefined ? {} : { leastAgeMs: options.leastAgeMs }),
      adopt: { owners: adopted(config.owners), isOn: reader.switchInFile() ?? false },
      isForcedOn: config.isForcedOn,
      console: webOwner.id,
      loginOf: (name) => channels.get(name)?.login?.(),
      onLockdown: (why) => log('error', 'lockdown', { why }),
    })
    const builtins = createBuiltinExchange({ newId: randomUUID })
    const hooks = await startHookPlane({
      home,
      workspace,
      host: house.hooks,
      world: house.world,
      user: config.user,
      listed: config.hooksEnv,
      lang: config.lang,
      http: config.http,
      ...(config.tz === undefined ? {} : { tz: config.tz }),
      ...(config.llm === undefined ? {} : { llm: config.llm }),
      now,
      elapsedMs,
      log,
      askHost: builtins.ask,
      armed: gatekeeper.armed,
      revision: () => gatekeeper.state().revision,
      view: viewFor,
      speech: { stdin: stdinFor, env: envFor },
      decode: decodeFor,
      // At the owner's desk the person types into the client itself.
      said: ({ agent_id, prompt_id, message }) => {
        if (config.agents.every(({ id }) => id !== agent_id))
          return typeof message === 'string' ? message : undefined
        return typeof prompt_id === 'string' ? prompts.textOf(agent_id, prompt_id) : undefined
      },
    })
    endings.push(() => hooks.stop())

    const channels = new Map<string, Channel>()
    const viewers = createViewers()
    const chats = createChats({
      agents: config.agents,
      configured: (config.telegram?.chats ?? []).map((id) => `telegram:${id}`),
      log,
      groupOf: ({ channel, chat_id }) => channels.get(channel)?.groupOf?.(chat_id),
      owners: () => gatekeeper.state().owners.filter(({ id }) => gatekeeper.isOwner(id)),
      recall: () => store.getFact('chats'),
      remember: (keys) => store.setFact('chats', keys),
    })
    const dispatcher = createDispatcher({
      judge: hooks.judge,
      gate: gatekeeper.state,
      inert: inertHooks(gatekeeper),
      ownerChats: chats.ofOwners,
      channel: (name) => channels.get(name),
      buttonsLeft: gatekeeper.cards.left,
      shown: gatekeeper.handles.shown,
      heldChanged: (held) => {
        if (held !== undefined)
          dispatcher.tellOwners((chat) =>
            heldCard(held, table.cardButtons.placeOf(chat), table.cardButtons, commandPorts),
          )
        viewers.look()
      },
      store,
      files: createFileStore(join(home, 'files')),
      previews: () =>
        config.previews || !gatekeeper.armed().some(({ entry }) => entry.event === 'on_outbound_message'),
      workspace,
      newId,
      after,
      elapsedMs,
      now,
      log,
    })
    const permissions = createPermissionChapter({
      config,
      dispatcher,
      gatekeeper,
      chats,
      store,
      cardButtons: () => table.cardButtons,
      ports: () => commandPorts,
      newId,
      now,
    })
    const bridge = createBridge({
      config,
      fire: permissions.fire,
      dispatcher,
      gatekeeper,
      store,
      newId,
      now,
      log,
      onStop: (end) => void endings.push(end),
    })
    const prompts = createPrompts({
      store,
      agentOf: chats.agentOf,
      newId,
      now,
      log,
      notify: dispatcher.notify,
      tellOwners: dispatcher.tellOwners,
      record: store.addRecord,
      isOwner: ({ channel, sender_id }) => gatekeeper.isOwner(`${channel}:${sender_id}`),
      working: ({ channel, chat_id }, isWorking) => channels.get(channel)?.working?.(chat_id, isWorking),
    })

    const rows = (): readonly Row[] =>
      catalogue(reader.source().proposed, [...gatekeeper.state().approvals.values()], reader.propose)
    const record = (subject: string, by: string, outcome: string, what: string | undefined): void =>
      store.addRecord({
        event_id: newId(),
        atMs: now(),
        kind: 'gate',
        subject,
        outcome,
        reason: what === undefined ? by : `${what} by ${by}`,
      })
    const writeSwitchFile = createSwitchFileWriter({
      workspace,
      render: reader.render,
      asAgent: house.asAgentLater,
      tell: (why) => dispatcher.tellOwners(prose`⚠ ${why}`),
    })
    const acts = createActs({
      gatekeeper,
      writeFace: writeSwitchFile,
      record: (act, ...rest) => record(`/hooks ${act}`, ...rest),
    })
    const ownerActs = createOwnerActs({ gatekeeper, record, log })
    const newLogin = (): string => `${web.url()}/#${web.mintLogin()}`
    const upkeep = createUpkeep({
      gatekeeper,
      setSwitch: acts.setSwitch,
      now,
      log,
      alarm: dispatcher.alarm,
      tell: dispatcher.notify,
      chats: chats.ofOwners,
      channel: (name) => channels.get(name),
      recall: () => store.getFact('anchored'),
      remember: (keys) => store.setFact('anchored', keys),
    })
    const reserve = createReserve(home)
    // From the start on, and not from the first look on: the disk may be full by then.
    reserve.fill()
    const reserveWatch = createReserveWatch(reserve, (text) =>
      dispatcher.tellOwners(text, undefined, 'files'),
    )
    const homeWatch = createHomeWatch({
      host: hooks,
      world: house.world,
      tell: dispatcher.tellOwners,
      now: elapsedMs,
    })
    const news = (): void => void reader.look()
    const doctor = createDoctorChapter({
      config,
      house,
      gatekeeper,
      hooks,
      rows,
      channels: () => channels.values(),
      noAnchor: upkeep.noAnchor,
      sourceProblem: () => reader.source().problem,
      bridge,
      now,
    })
    const commandPorts: CommandPorts = {
      ...acts,
      ...ownerActs,
      ...createReading(gatekeeper),
      rows,
      look: reader.look,
      now,
      tellOthers: upkeep.tellOthers,
      login: newLogin,
      ownerChats: chats.ofOwners,
      tell: (address, text) => void dispatcher.notify(address, text),
      gate: gatekeeper.state,
      sourceProblem: () => reader.source().problem,
      separation: house.separation,
      world: house.world,
      handle: (owner, chat, fingerprint, shows) =>
        gatekeeper.handles.mint({ owner, chat, fingerprint, ...(shows === undefined ? {} : { shows }) }),
      pageHandle: (owner, chat, fingerprint, shows) =>
        gatekeeper.handles.mint({
          owner,
          chat,
          fingerprint,
          isOnPage: true,
          ...(shows === undefined ? {} : { shows }),
        }),
      resolveHandle: (by, chat, handle) => gatekeeper.handles.resolve({ owner: by, chat, handle }),
      hiddenBy: (owner, chat, fingerprint) => gatekeeper.handles.hiddenBy({ owner, chat, fingerprint }),
      mint: gatekeeper.cards.mint,
      take: gatekeeper.cards.take,
      hasButtons: (name) => channels.get(name)?.hasButtons === true,
      answered: (row, isYes) => announcer.answered(row, isYes),
      lastFiredMs: hooks.lastFiredMs,
      records: store.records,
      waiting: dispatcher.waiting,
      held: dispatcher.held,
      answerHeld: ({ key, agent_id }, how, by) => {
        const isDone = dispatcher[how](key, by)
        record(`/hooks ${how}`, by, isDone ? 'done' : 'refused', `a message of ${agent_id}`)
        return isDone
      },
      asks: permissions,
      doctor,
      shownBefore: await store.getFact('shown'),
      rememberShown: (what) => store.setFact('shown', what),
      tellAgent: prompts.tell,
      prompt: (message) => (chats.note(message), prompts.prompt(message)),
      undo: (address, agentId) => hooks.undo(agentId ?? chats.agentOf(address)),
    }
    const table = createTable(commandPorts)
    const inbox = createInbox<Line>({
      parse: parseChat,
      lookUp: table.lookUp,
      press: table.press,
      pair: ownerActs.pair,
      ownerChats: chats.ofOwners,
      pairCode: (line) =>
        line.kind === 'command' && line.name === 'pair' ? firstWord(line.rest)[0] || undefined : undefined,
      admits: gatekeeper.admits,
      serves: chats.isConfigured,
      firstSeen: (message) => store.firstSeen(message, now()),
      notify: dispatcher.notify,
      prompt: (message) => {
        chats.note(message)
        return prompts.prompt(message)
      },
      record: store.addRecord,
      begin: prompts.begin,
      newId,
      now,
      log,
    })

    const ports: ChannelPorts = {
      receive: inbox.receive,
      isAdmitted: dispatcher.isAdmitted,
      menu,
      now,
      elapsedMs,
      log,
      ...createReports({ tellOwners: dispatcher.tellOwners, alarm: dispatcher.alarm, log }),
    }
    const built = createChannels({
      config,
      ports,
      store,
      viewers,
      console: options.console ?? {},
      web: {
        ...ports,
        preferences: () =>
          Promise.resolve(preferencesOf(commandPorts, webOwner.id, webOwner.chat_id, viewers.wechatLogin())),
        onPreferences: viewers.add,
        entered: () => (gatekeeper.claim.byConsole(), options.console?.entered()),
        loginMisused: (why) => dispatcher.alarm('login', prose`⚠ Web login: ${why}`),
      },
    })
    const { web } = built
    const all = [...built.all, ...(options.channels?.(ports) ?? [])]
    for (const channel of all) channels.set(channel.name, channel)

    const announcer = createAnnouncer({
      recall: () => store.getFact('announced'),
      remember: (keys) => store.setFact('announced', keys),
      tellOwners: (said, about) => dispatcher.tellOwners(said, undefined, about),
      cardButtons: table.cardButtons,
      after,
      now: elapsedMs,
    })
    const proposalWatcher = createProposalWatcher({
      ...commandPorts,
      interpreterNews: gatekeeper.interpreterNews,
      announce: (...news) => announcer.announce(...news),
      alarm: dispatcher.alarm,
      changed: () => {
        gatekeeper.setProposalOrder(
          reader.source().proposed.flatMap((place) => (place.kind === 'entry' ? [place.entry] : [])),
        )
        viewers.look()
      },
    })
    endings.push(
      gatekeeper.claim.when(() => web.expireLogins()),
      gatekeeper.onChange(() => {
        hooks.drop()
        dispatcher.wake()
        proposalWatcher.refresh()
      }),
    )
    let lastInFile = reader.switchInFile()
    const tellEditedSwitch = (): void => {
      const said = reader.switchInFile()
      const { isOn } = gatekeeper.state()
      if (said === lastInFile) return
      lastInFile = said
      if (said === undefined || said === isOn) return
      dispatcher.tellOwners(
        (chat) => ({
          text: switchFileEditText(said, isOn),
          ...table.cardButtons.under(table.cardButtons.placeOf(chat), said ? [['on']] : []),
        }),
        undefined,
        'files',
      )
    }
    endings.push(
      reader.onChange(proposalWatcher.refresh),
      reader.onChange(tellEditedSwitch),
      watch(join(workspace, shellHooksFile), news),
      watch(switchFile(workspace), news),
    )

    for (const channel of all) {
      await channel.start()
      endings.push(() => channel.stop())
    }
    await chats.restore()
    await dispatcher.restore()
    await prompts.restore()
    if (store.recovered !== undefined) dispatcher.alarm('store', prose`⚠ ${store.recovered}`)
    upkeep.look()
    await bridge.start()
    await startAgents({
      config,
      house,
      dispatcher,
      gatekeeper,
      chats,
      prompts,
      builtins,
      permissions,
      store,
      newId,
      now,
      log,
      onStop: (end) => void endings.push(end),
    })
    proposalWatcher.refresh()
    const ticking = setInterval(
      () =>
        [upkeep.look, reserveWatch.look, proposalWatcher.refresh, homeWatch.look].forEach((look) => look()),
      lookEveryMs,
    )
    endings.push(() => clearInterval(ticking))
    return {
      dispatcher,
      gatekeeper,
      store,
      separation: house.separation,
      rows,
      stop,
      invite: () => ({
        login: newLogin(),
        ...(gatekeeper.claim.isClaimed() ? {} : { pairing: gatekeeper.pairing.mint() }),
      }),
    }
  } catch (error) {
    await stop()
    throw error
  }
}
