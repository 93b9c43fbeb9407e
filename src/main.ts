import { createActChapter } from './compose/acts.ts'
import { startAgents } from './compose/agents/agents.ts'
import { createBridge } from './compose/agents/bridge.ts'
import { createNodes } from './compose/agents/nodes.ts'
import { openBase } from './compose/base.ts'
import { createChannels } from './compose/channels.ts'
import { createCommandChapter } from './compose/commands.ts'
import { createDoctorChapter } from './compose/health/doctor.ts'
import { openGateChapter } from './compose/gate.ts'
import { startGround, type Begun } from './compose/ground.ts'
import { startHookHost, startHooks } from './compose/hooks.ts'
import { createInboxChapter } from './compose/inbox.ts'
import { createOutbound } from './compose/outbound.ts'
import { partsOf, type Parts } from './compose/parts.ts'
import { createPermissionChapter } from './compose/permissions.ts'
import { createPromptChapter } from './compose/prompts.ts'
import { startTelemetry } from './compose/telemetry.ts'
import { createWatchers } from './compose/watch.ts'

/**
 * Connects and starts the chapters of a gate that has begun. Throws a ProblemError when that fails, and
 * leaves nothing running.
 */
export const assembleOn = async (begun: Begun): Promise<Parts> => {
  const { life } = begun
  try {
    // The chapters. Each one takes only earlier ones.
    const base = await openBase(begun)
    const programs = startHookHost(base)
    const gate = await openGateChapter(base)
    const hooks = await startHooks(base, gate, programs)
    const outbound = createOutbound(base, gate, hooks)
    const permissions = createPermissionChapter(base, gate, outbound)
    const prompts = createPromptChapter(base, gate, outbound)
    const bridge = createBridge(base, gate, outbound, permissions)
    const acts = createActChapter(base, gate, outbound, permissions)
    const nodes = createNodes(base, gate, outbound, bridge, acts)
    const watch = createWatchers(base, gate, hooks, outbound, acts)
    const doctor = createDoctorChapter(base, gate, hooks, bridge, watch)
    const earlier = { base, gate, hooks, outbound, permissions, prompts, acts, watch, doctor, nodes }
    const commands = createCommandChapter(earlier)
    const inbox = createInboxChapter(base, gate, outbound, prompts, acts, commands)
    const startChannels = await createChannels(base, gate, outbound, acts, commands, inbox)

    // The subscriptions connect a later chapter to an earlier one.
    const { dispatcher, chats } = outbound
    life.onStop(
      gate.claim.when(base.page.sessions.expireLogins),
      ...[hooks.hooks.drop, dispatcher.wake, watch.refresh].map((listener) => gate.onChange(listener)),
      dispatcher.onHeld(commands.heldChanged),
      hooks.hooks.onNews(outbound.tellNews),
      base.reader.onChange(watch.refresh),
      base.reader.onChange(watch.refreshSwitchFile),
      watch.watchFiles(),
    )

    // The start. The stop goes the other way round.
    await outbound.readers.restore()
    await permissions.restore()
    await startChannels()
    await chats.restore()
    await dispatcher.restore()
    await prompts.restore()
    await permissions.grants.restore()
    await startTelemetry(base, gate, outbound, permissions)
    await watch.tellStart()
    await startAgents(base, gate, hooks, outbound, permissions, prompts, bridge, nodes)
    life.started(watch.start())
    return partsOf(base, gate, outbound)
  } catch (error) {
    await life.stop()
    throw error
  }
}

/** Begins a gate and starts it. */
export const assemble = (...what: Parameters<typeof startGround>): Promise<Parts> =>
  assembleOn(startGround(...what))
