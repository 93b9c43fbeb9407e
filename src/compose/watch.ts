import { createInterpreterWatch } from '../proposals/program/interpreters.ts'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createAnnouncer } from '../commands/cards/announce.ts'
import { clock } from '../commands/words.ts'
import { createProposalWatcher } from '../commands/proposal-watcher.ts'
import { isProtectionProposed, protectCard, standingGuards } from '../commands/families/shipped/protect.ts'
import { switchFileEditText } from '../commands/families/switch.ts'
import { switchFile } from '../config/switch-file.ts'
import { version } from '../config/version.ts'
import { watch } from '../config/watch.ts'
import { createAnchoring } from '../notices/anchoring.ts'
import { createReserve } from './health/reserve.ts'
import { createReserveWatch } from './health/reserve-watch.ts'
import { createHomeWatch } from '../handlers/world/home-watch.ts'
import { shellHooksFile } from '../proposals/sources/systems.ts'
import { prose } from '../core/model/chat/prose.ts'
import type { Address } from '../core/model/chat/push.ts'
import { messageOf } from '../core/model/gate/problem.ts'
import type { Acts } from './acts.ts'
import type { Base } from './base.ts'
import type { GateChapter } from './gate.ts'
import { askNpm, watchUpdates } from './health/updates.ts'
import type { HookChapter } from './hooks.ts'
import type { Outbound } from './outbound.ts'
import { ourWords } from '../shared/said/our-words.ts'

/** How soon a changed script is noticed, in milliseconds. */
const lookEveryMs = 1000

/**
 * Tells the owners of each edit of the switch in its file, with a button that does it properly. What the gate
 * wrote itself is no edit.
 */
const createSwitchFileWatch = (
  { reader }: Base,
  { gatekeeper, cardButtons }: GateChapter,
  { notices }: Outbound,
  { isSwitchFileSettled }: Acts,
): (() => void) => {
  let last = reader.switchInFile()
  return () => {
    const inFile = reader.switchInFile()
    const { isOn } = gatekeeper.state()
    const isAsSet = inFile === undefined || inFile === isOn
    if (inFile === last || (!isAsSet && !isSwitchFileSettled())) return
    last = inFile
    if (isAsSet) return
    notices.tellOwners(
      (chat) => ({
        text: switchFileEditText(inFile, isOn),
        ...cardButtons.under(cardButtons.placeOf(chat), inFile ? [['on']] : []),
      }),
      undefined,
      'files',
    )
  }
}

const createOffer =
  ({ now }: Base, { gatekeeper, rows, owned, cardButtons }: GateChapter, { dispatcher }: Outbound) =>
  (owner: Address): void => {
    const ports = { rows, gate: gatekeeper.state, approved: owned.approved, now }
    if (!isProtectionProposed(standingGuards(rows(), ports))) return
    void dispatcher.notify(owner, protectCard(ports, cardButtons.placeOf(owner), cardButtons))
  }

/** How long a gate that was put back waits for the messengers to say what its owners' chats have pinned. */
const maxPinWaitMs = 15_000

/**
 * Tells the owners once that this gate was put back from a backup, because newer decisions are not in it. It
 * resolves when the pinned anchors were compared, so that no agent works before a newer one is found.
 */
const tellRestore = async (
  { store, now }: Base,
  { notices }: Outbound,
  isSettled: () => boolean,
): Promise<void> => {
  const noted = await store.getFact('restored')
  if (noted === undefined || noted === '') return
  for (let waitedMs = 0; waitedMs < maxPinWaitMs && !isSettled(); waitedMs += 50) await delay(50)
  const { at, revision }: { at: string; revision: number } = JSON.parse(noted)
  notices.alarm(
    'store',
    prose`⚠ hookgate was put back from a backup: revision ${revision}, made at ${clock(Date.parse(at), now())}.\nWhat owners decided after that is not in it. Look through /hooks and /owners.`,
  )
  await store.setFact('restored', '')
}

/** The checks that the gate does by itself, with notices to its owners. */
export const createWatchers = (
  base: Base,
  gate: GateChapter,
  { hooks }: HookChapter,
  outbound: Outbound,
  actChapter: Acts,
) => {
  const { config, isolation, reader, store, channels, viewers, after, now, elapsedMs, log } = base
  const { gatekeeper, rows, cardButtons } = gate
  const { dispatcher, notices, chats } = outbound
  const { home, workspace } = config
  const anchoring = createAnchoring({
    gatekeeper,
    isInCharge: base.isInCharge,
    chats: chats.ofOwners,
    channel: (name) => channels.get(name),
    write: (address, notice) => void dispatcher.notify(address, notice),
    alarm: notices.alarm,
    recall: () => store.getFact('anchored'),
    remember: (keys) => store.setFact('anchored', keys),
    monotonicMs: elapsedMs,
    log,
  })
  const reserve = createReserve(home)
  // It is filled from the start on, because the disk may be full by the first look.
  reserve.fill()
  const reserveWatch = createReserveWatch(reserve, (text) => notices.tellOwners(text, undefined, 'files'))
  const homeWatch = createHomeWatch({
    host: hooks,
    world: isolation.world,
    tell: notices.tellOwners,
    now: elapsedMs,
  })
  const offerProtection = createOffer(base, gate, outbound)
  const announcer = createAnnouncer({
    begun: () => {
      // Who claims the gate later is offered it then.
      if (gatekeeper.claim.isClaimed()) chats.ofOwners().forEach(offerProtection)
    },
    recall: () => store.getFact('announced'),
    remember: (keys) => store.setFact('announced', keys),
    tellOwners: (said, about) => notices.tellOwners(said, undefined, about),
    cardButtons,
    after,
    now: elapsedMs,
  })
  const { refresh } = createProposalWatcher({
    rows,
    sourceProblem: () => reader.source().problem,
    gate: gatekeeper.state,
    interpreterNews: createInterpreterWatch({
      file: join(home, 'interpreters.json'),
      approvals: () => [...gatekeeper.state().approvals.values()],
      log,
    }),
    announce: announcer.announce,
    alarm: notices.alarm,
    changed: () => {
      gatekeeper.setProposalOrder(
        reader.source().proposed.flatMap((place) => (place.kind === 'entry' ? [place.entry] : [])),
      )
      viewers.look()
    },
  })
  const news = (): void => void reader.look()
  const refreshSwitchFile = createSwitchFileWatch(base, gate, outbound, actChapter)
  return {
    announcer,
    /** Sends an owner the card that protects with one tap, while the files propose what it approves. */
    offerProtection,
    /** The problem text when no owner's chat can keep an anchor. */
    noAnchor: anchoring.missing,
    /** Announces news of the gate and of the proposals. */
    refresh,
    /** Tells when somebody edited the switch in its file. */
    refreshSwitchFile,
    /** Announces what the start found: a repaired store, a restore, and anchors of messengers that differ. */
    tellStart: async (): Promise<void> => {
      if (store.recovered !== undefined) notices.alarm('store', prose`⚠ ${ourWords(store.recovered)}`)
      void actChapter.rearm.look()
      anchoring.look()
      await tellRestore(base, outbound, anchoring.isSettled).catch((error: unknown) =>
        log('warn', 'the note of a restore could not be read', { why: messageOf(error) }),
      )
    },
    /** Watches the workspace's files. The returned function ends it. */
    watchFiles: (): (() => void) => {
      const ends = [join(workspace, shellHooksFile), switchFile(workspace)].map((file) => watch(file, news))
      return () => ends.forEach((end) => end())
    },
    /** Runs all checks about every second. The returned function ends it. */
    start: (): (() => void) => {
      refresh()
      const looks = [anchoring.look, reserveWatch.look, refresh, refreshSwitchFile, homeWatch.look]
      const ticking = setInterval(() => {
        void actChapter.rearm.look()
        for (const look of looks) look()
      }, lookEveryMs)
      const endUpdates = config.updates
        ? watchUpdates(
            {
              version: version(),
              ask: () => askNpm(isolation.world.path, config.person, process.env),
              recall: store.getFact,
              remember: store.setFact,
              tell: (text) => notices.tellOwners(text),
              now,
            },
            (error) => log('warn', 'could not look for an update', { error: messageOf(error) }),
          )
        : () => undefined
      return () => {
        clearInterval(ticking)
        endUpdates()
      }
    },
  }
}

export type Watchers = ReturnType<typeof createWatchers>
