import type { PlantedFault } from './planted-faults.ts'

/** How somebody could get into the web page, or show something on it. */
export const webFaults: readonly PlantedFault[] = [
  {
    test: 'test/bots/web/one-door.property.ts',
    what: 'the web page: every message that reaches the page is shown',
    file: 'bots/web/chat.ts',
    find: 'if (!ports.isAdmitted(outgoing)) {',
    replace: 'if (outgoing === undefined) {',
  },
  {
    test: 'test/bots/web/chat.test.ts',
    what: 'the web page: an agent can edit messages that are not its own',
    file: 'bots/web/chat.ts',
    find: "if (old.from !== 'agent' || old.form === undefined)",
    replace: "if (old.form === undefined && old.from === 'agent')",
  },
  {
    test: 'test/bots/web/http/loopback.test.ts',
    what: 'the web page: the page has the same host name at every start',
    file: 'bots/web/http/loopback.ts',
    find: "randomBytes(8).toString('hex')",
    replace: "Buffer.alloc(8).toString('hex')",
  },
  {
    test: 'test/bots/web/http/guard.test.ts',
    what: 'the web page: the page is served under a host name that was known before',
    file: 'bots/web/http/guard.ts',
    find: 'const isOwn = host === ownHost',
    replace: "const isOwn = host.endsWith(ownHost.slice(ownHost.lastIndexOf(':')))",
  },
  {
    test: 'test/bots/web/passkeys/passkeys.test.ts',
    what: 'the web page: a passkey of another address logs in',
    file: 'bots/web/passkeys/relying-party.ts',
    find: 'expectedOrigin: origin,',
    replace: "expectedOrigin: [origin, 'https://evil.example'],",
  },
  {
    test: 'test/bots/web/passkeys/passkeys.test.ts',
    what: 'the web page: a session outlives its passkey',
    file: 'bots/web/http/sessions.ts',
    find: 'untilMs > now() && stands()',
    replace: 'untilMs > now()',
  },
  {
    test: 'test/bots/web/chat.test.ts',
    what: 'the web page: a person who is no owner sees the agent’s messages',
    file: 'bots/web/chat.ts',
    find: 'if (!ports.isOwner() && !isForOutsiders(line)) return',
    replace: 'if (isForOutsiders(line) && !ports.isOwner() && tabs.size < 0) return',
  },
  {
    test: 'test/bots/web/http/guard.test.ts',
    what: 'the web page: an old service worker stays installed',
    file: 'bots/web/http/guard.ts',
    find: 'registration.unregister()',
    replace: 'registration.update()',
  },
  {
    test: 'test/bots/web/web.test.ts',
    what: 'the web page: a file is given to everybody who knows its name',
    file: 'bots/web/http/session-routes.ts',
    find: 'routes.use(authenticate(ports, misuse))',
    replace:
      "const check = authenticate(ports, misuse)\n  routes.use((c, next) => (c.req.path.startsWith('/api/files/') ? next() : check(c, next)))",
  },
]
