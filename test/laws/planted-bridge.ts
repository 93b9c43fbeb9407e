import type { PlantedFault } from './planted-faults.ts'

/** What agents of others could do by them. */
export const bridgeFaults: readonly PlantedFault[] = [
  {
    test: 'test/dialects/client-writes.property.ts',
    what: 'Codex: a bare allow is sent, which Codex cannot read',
    file: 'src/dialects/codex/codex.ts',
    find: "if (name === 'PermissionRequest') return isConsent ?",
    replace:
      "if (name === 'PreToolUse' && isConsent) return { inner: { permissionDecision: 'allow' } }\n  if (name === 'PermissionRequest') return isConsent ?",
  },
  {
    test: 'test/bridge/consent.test.ts',
    what: 'Claude Code: a rewrite counts as consent',
    file: 'src/dialects/claude-code/write.ts',
    find: "permissionDecision: isConsent ? 'allow'",
    replace: "permissionDecision: isConsent || isChanged('tool_input') === true ? 'allow'",
  },
  {
    test: 'test/dialects/responsibleai/responsibleai.test.ts',
    what: 'Agent Hooks 0.1: a call is judged, and the agent runs another one that stands beside it',
    file: 'src/dialects/responsibleai/bridge.ts',
    find: 'return isDeepStrictEqual(guarded ?? null',
    replace: 'return guarded !== undefined || isDeepStrictEqual(guarded ?? null',
  },
  {
    test: 'test/dialects/responsibleai/responsibleai.test.ts',
    what: 'Agent Hooks 0.1: a yes to a changed call lets the unchanged one run',
    file: 'src/dialects/responsibleai/bridge.ts',
    find: "asked['is_rewritten'] === true",
    replace: "asked['is_rewritten'] === 'no'",
  },
  {
    test: 'test/bridge/bridge.integration.ts',
    what: 'the bridge: every step passes while the gate is away',
    file: 'src/bridge/switch-file.ts',
    find: 'if (isArmed) return { isOpen: false,',
    replace: 'if (isArmed) return { isOpen: true,',
  },
  {
    test: 'test/bridge/bridge.integration.ts',
    what: 'the bridge: a switch file that anybody wrote is trusted',
    file: 'src/bridge/switch-file.ts',
    find: 'if (!verify(',
    replace: 'if (facts === undefined && !verify(',
  },
  {
    test: 'test/bridge/service/service.test.ts',
    what: 'the bridge: the end of a turn is refused without limit',
    file: 'src/bridge/service/judge-report.ts',
    find: 'session.refusals++',
    replace: 'session.refusals += 0',
  },
  {
    test: 'test/server/bridge.test.ts',
    what: 'the HTTP listener: any web page in a browser may send requests',
    file: 'src/server/bridge.ts',
    find: 'if (headers.origin !== undefined) throw',
    replace: "if (headers.origin === '') throw",
  },
]
