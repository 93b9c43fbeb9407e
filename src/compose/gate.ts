import { cutOff } from '../shared/gate/recovery.ts'
import { catalogue } from '../proposals/catalogue.ts'
import type { GateState } from '../core/gatekeeper/gate-state.ts'
import { openGate } from '../core/gatekeeper/open-gate.ts'
import { createReading } from '../commands/diff/reading.ts'
import { createCardButtons } from '../commands/cards/card-buttons.ts'
import { renamed } from '../proposals/sealed-text.ts'
import { readProposed } from '../proposals/proposal.ts'
import { resolve } from 'node:path'
import { createReserve } from './health/reserve.ts'
import { mayRefuse } from '../dialects/dialects.ts'
import { preparingShadows } from '../shared/hooks/shadow.ts'
import type { CommandPorts } from '../commands/ports.ts'
import type { FileFacts, ListedHook } from '../shared/gate/catalogue.ts'
import { shippedEntries } from './proposal-reader/gallery.ts'
import { webOwner, type Base } from './base.ts'

const adopted = (owners: readonly string[]) => [
  webOwner,
  ...owners.map((id) => ({ id, chat_id: id.slice(id.indexOf(':') + 1) })),
]

/** Opens the gate when the files were read for the first time. */
export const openGateChapter = async (base: Base) => {
  const { config, options, isolation, reader, nodeProposals, store, lines, sharedFiles } = base
  const { isInCharge, onInChargeAgain, channels, now, elapsedMs, log } = base
  const { home, workspace } = config
  await reader.begun()
  const gatekeeper = await openGate({
    home,
    workspace,
    prepare: preparingShadows(reader.prepare),
    renamed,
    now,
    elapsedMs,
    log,
    lines,
    sharedFiles,
    reserve: createReserve(home),
    leastAgeMs: options.leastAgeMs,
    adopt: { owners: adopted(config.owners), isOn: reader.switchInFile() ?? false },
    isForcedOn: config.isForcedOn,
    console: webOwner.id,
    loginOf: (name) => channels.get(name)?.login?.(),
    onLockdown: (why) => log('error', 'lockdown', { why }),
  })
  const readBytes = (name: string): Buffer | undefined => {
    const source = readProposed(resolve(workspace, name), name, { home, refuses: isolation.refuses })
    return 'problem' in source ? undefined : source.content
  }
  const { cards, handles } = gatekeeper
  /** How owners read seals, handles and buttons. */
  const owned = {
    ...createReading(gatekeeper),
    proposedBytes: ({ path, sha256 }: Pick<FileFacts, 'path' | 'sha256'>) =>
      nodeProposals.bytesOf(sha256) ?? readBytes(path),
    shownBefore: await store.getFact('shown'),
    rememberShown: (what) => store.setFact('shown', what),
    handle: (owner, chat, fingerprint, shows) => handles.mint({ owner, chat, fingerprint, shows }),
    pageHandle: (owner, chat, fingerprint, shows) =>
      handles.mint({ owner, chat, fingerprint, isOnPage: true, shows }),
    resolveHandle: (owner, chat, handle) => handles.resolve({ owner, chat, handle }),
    handleOn: (owner, chat, messageId) => handles.onMessage({ owner, chat, messageId }),
    hiddenBy: (owner, chat, fingerprint) => handles.hiddenBy({ owner, chat, fingerprint }),
    mint: cards.mint,
    take: cards.take,
    hasButtons: (name) => channels.get(name)?.hasButtons === true,
    takesFiles: (name) => channels.get(name)?.forms.includes('document') === true,
  } satisfies Partial<CommandPorts>
  /**
   * The state as others may rely on it. A gate that another one may have followed allows nothing more, and
   * does not say how the switch stands.
   */
  const state = (): GateState =>
    isInCharge() ? gatekeeper.state() : { ...gatekeeper.state(), lockdown: cutOff }
  /** The subscribers hear also when the gate may work again, because what waited for that can go on. */
  const againListeners = new Set<() => void>()
  onInChargeAgain(() => {
    for (const listener of againListeners) listener()
  })
  return {
    gatekeeper,
    state,
    /** Calls back after every change of the gate's state. Returns the end of the subscription. */
    onChange: (listener: (state: GateState) => void): (() => void) => {
      const again = (): void => listener(state())
      againListeners.add(again)
      const end = gatekeeper.onChange(listener)
      return () => {
        againListeners.delete(again)
        end()
      }
    },
    claim: gatekeeper.claim,
    /** Every proposed and every approved hook, as of the last reading of files and gate. */
    rows: (): readonly ListedHook[] =>
      catalogue(
        reader.source().proposed,
        [...gatekeeper.state().approvals.values()],
        reader.propose,
        (node) => !nodeProposals.isHeard(node) && gatekeeper.nodes.all().some(({ name }) => name === node),
        mayRefuse,
      ),
    owned,
    cardButtons: createCardButtons({
      ...owned,
      gate: gatekeeper.state,
      evidenceOf: base.evidence.of,
      world: isolation.world,
      shipped: shippedEntries,
    }),
  }
}

export type GateChapter = Awaited<ReturnType<typeof openGateChapter>>
