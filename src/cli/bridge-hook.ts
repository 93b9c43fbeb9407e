import { runBridge } from '../bridge/bridge.ts'
import { chainOf, homeOf } from '../config/home.ts'
import { callerOf, failClosed, GATES, noOpinion, timeoutOf } from '../dialects/gates.ts'

/**
 * `hookgate bridge <client> <Event>`: one hook of another agent. It ends this process with the client's
 * answer.
 */
export const runBridgeHook = (args: readonly string[]): Promise<void> =>
  runBridge(args, {
    home: homeOf(process.env),
    chain: chainOf(process.env),
    isClient: (name): name is keyof typeof GATES => Object.hasOwn(GATES, name),
    callerOf: (client, stdin) => callerOf(client, process.env, stdin),
    failClosed,
    noOpinion,
    timeoutOf,
    canPark: async (payload) =>
      process.env['CLAUDE_CODE_ENTRYPOINT'] === 'sdk-cli' &&
      (await import('../bridge/headless.ts')).canPark(process.env, payload),
  })
