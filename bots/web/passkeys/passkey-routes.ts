import { languageOf } from '../http/session-routes.ts'
import { createHash } from 'node:crypto'
import { Hono, type Context } from 'hono'
import { z } from 'zod'
import type { Passkey } from '../../../src/core/model/gate/passkey.ts'
import type { Acted } from '../../../src/core/model/gate/problem.ts'
import { proofOf, refuseUnproved, tellKnown, type AuthenticationPorts } from '../http/authenticate.ts'
import { limitBody, readBody, refuseBody } from '../http/body.ts'
import type { Challenges } from './challenges.ts'
import type { Chat } from '../chat.ts'
import { refuse } from '../http/guard.ts'
import type { Misuse } from '../http/misuse.ts'
import { Assertion, createRelyingParty, Registration } from './relying-party.ts'
import type { Sessions } from '../http/sessions.ts'

/** The passkeys of the owners, as the gate keeps them. */
export interface PasskeyPorts {
  /** True for an owner, and for whoever reads the console. */
  mayEnter(id: string): boolean
  /** The passkey with this id, while its owner is one. */
  find(id: string): Passkey | undefined
  /** The ids of an owner's passkeys. */
  idsOf(owner: string): readonly string[]
  /** Writes a new passkey to the ledger and tells the owners. */
  add(passkey: Passkey): Promise<Acted>
  /** Notes how often the device says that it was used. False when it counts fewer uses than before. */
  noteUse(id: string, counter: number): Promise<boolean>
}

export interface PasskeyRoutePorts extends Pick<AuthenticationPorts, 'now' | 'known' | 'url'> {
  readonly sessions: Pick<Sessions, 'lookUp' | 'redeem' | 'open' | 'isLive'>
  readonly chat: Pick<Chat, 'sweep'>
  readonly challenges: Challenges
  readonly passkeys: PasskeyPorts
  /** Reports that a link was used. */
  entered(language: string | undefined): Promise<void>
}

const maxResponseBytes = 32 * 1024

const registerBody = z.strictObject({ register: z.string().max(200) })
const registeredBody = z.strictObject({ register: z.string().max(200), response: Registration })
const loginBody = z.strictObject({})
const loggedInBody = z.strictObject({ response: Assertion })

const newLink = 'Send /login to hookgate in your chat and open the link that it answers with.'

const refuseLink = (c: Context, kind: 'used' | 'expired' | 'unknown', misuse: Misuse): Response => {
  // Anybody on the network can try a link that never existed, so only a used one is an alarm.
  if (kind === 'used') misuse.report('Somebody tried a used link for a passkey again.')
  return refuse(
    c,
    403,
    `web.register_${kind}`,
    `Expected an unused link for a passkey at most 5 minutes old, got one that is ${kind}.`,
    newLink,
  )
}

const refusePasskey = (c: Context): Response =>
  refuse(c, 403, 'web.passkey', 'Expected a passkey of an owner for this address, got another one.', newLink)

const refuseChallenge = (c: Context): Response =>
  refuse(
    c,
    403,
    'web.challenge',
    'Expected an answer within 3 minutes, got a late or a used one.',
    'Try again.',
  )

const refuseCopy = (c: Context): Response =>
  refuse(
    c,
    403,
    'web.passkey_copied',
    'Expected a passkey that counts its uses, got one that may be a copy.',
    'Remove it with /passkeys in your chat, and make a new one with /login.',
  )

/** Refuses an answer of a device. */
const refuseAnswer = (c: Context, kind: 'late' | 'wrong'): Response =>
  kind === 'late' ? refuseChallenge(c) : refusePasskey(c)

const refuseUnprovedPage = (c: Context, atMs: number): Response =>
  refuseUnproved(
    c,
    atMs,
    'web.proof',
    'Expected a valid proof of the page’s key (DPoP), got none.',
    'Reload the page. Correct the clock of this device if it is wrong.',
  )

/** A challenge is good for one purpose in one browser. */
const purposeOf = (what: string, thumbprint: string): string => JSON.stringify([what, thumbprint])
const registering = (register: string): string =>
  `register ${createHash('sha256').update(register).digest('base64url')}`

/** What the routes share. */
const createTools = (ports: PasskeyRoutePorts) => ({
  party: createRelyingParty(ports.url(), ports.challenges),
  /** The thumbprint of the page's key. Undefined when the request has no valid proof. */
  thumbprintOf: (c: Context): string | undefined => {
    const proof = proofOf(c, ports.now(), ports.url())
    return proof.isGood ? proof.thumbprint : undefined
  },
  unproved: (c: Context): Response => refuseUnprovedPage(c, ports.now()),
  /** Opens a session, which ends when it stands no more. */
  opened: (c: Context, thumbprint: string, stands: () => boolean): Response => {
    const session = ports.sessions.open(thumbprint, stands)
    tellKnown(c, ports.known)
    // A new session may end the oldest one. This closes its tabs.
    ports.chat.sweep((id) => ports.sessions.isLive(id))
    return c.json({ session })
  },
})
type Tools = ReturnType<typeof createTools>

/** The routes that make a passkey with a one-time link. */
const createRegisterRoutes = (
  { sessions, passkeys, entered }: PasskeyRoutePorts,
  { party, thumbprintOf, unproved, opened }: Tools,
  misuse: Misuse,
): Hono => {
  const routes = new Hono()
  routes.post('/options', async (c) => {
    const body = await readBody(c, registerBody)
    if (body === undefined) return refuseBody(c, '{register}')
    const thumbprint = thumbprintOf(c)
    if (thumbprint === undefined) return unproved(c)
    const found = sessions.lookUp(body.register)
    if (found.kind !== 'good') return refuseLink(c, found.kind, misuse)
    const purpose = purposeOf(registering(body.register), thumbprint)
    return c.json(await party.registrationOptions(found.owner, passkeys.idsOf(found.owner), purpose))
  })
  routes.post('/', async (c) => {
    const body = await readBody(c, registeredBody)
    if (body === undefined) return refuseBody(c, '{register, response}')
    const thumbprint = thumbprintOf(c)
    if (thumbprint === undefined) return unproved(c)
    const found = sessions.lookUp(body.register)
    if (found.kind !== 'good') return refuseLink(c, found.kind, misuse)
    const made = await party.registered(body.response, purposeOf(registering(body.register), thumbprint))
    if (made.kind !== 'good') return refuseAnswer(c, made.kind)
    const { id, publicKey, counter } = made.value
    const redeemed = sessions.redeem(body.register)
    if (redeemed.kind !== 'good') return refuseLink(c, redeemed.kind, misuse)
    const { owner } = redeemed
    await entered(languageOf(c))
    const added = await passkeys.add({
      id,
      owner,
      rpId: party.rpId,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      transports: body.response.response.transports,
    })
    if (added.ok) {
      await passkeys.noteUse(id, counter)
      return opened(c, thumbprint, () => passkeys.find(id) !== undefined)
    }
    const { code, message, fix } = added.problem
    // In a lockdown nothing can be written. The link still opens a session, so that its owner can recover.
    const stands = (): boolean => passkeys.mayEnter(owner)
    if (code === 'gate.lockdown' && stands()) return opened(c, thumbprint, stands)
    return refuse(c, 409, code, message, fix)
  })
  return routes
}

/** The routes by which a passkey logs in. */
const createLoginRoutes = (
  { passkeys }: PasskeyRoutePorts,
  { party, thumbprintOf, unproved, opened }: Tools,
  misuse: Misuse,
): Hono => {
  const routes = new Hono()
  routes.post('/options', async (c) => {
    if ((await readBody(c, loginBody)) === undefined) return refuseBody(c, '{}')
    const thumbprint = thumbprintOf(c)
    return thumbprint === undefined
      ? unproved(c)
      : c.json(await party.loginOptions(purposeOf('login', thumbprint)))
  })
  routes.post('/', async (c) => {
    const body = await readBody(c, loggedInBody)
    if (body === undefined) return refuseBody(c, '{response}')
    const thumbprint = thumbprintOf(c)
    if (thumbprint === undefined) return unproved(c)
    const { id } = body.response
    const answered = await party.loggedIn(body.response, passkeys.find(id), purposeOf('login', thumbprint))
    if (answered.kind !== 'good') return refuseAnswer(c, answered.kind)
    if (!(await passkeys.noteUse(id, answered.value))) {
      misuse.report(
        'A passkey was used whose device counts fewer uses than before, so somebody may have copied it. It was refused. Remove it with /passkeys if you do not know the reason.',
      )
      return refuseCopy(c)
    }
    return opened(c, thumbprint, () => passkeys.find(id) !== undefined)
  })
  return routes
}

/**
 * The routes by which a browser gets a session with a passkey. They exist only where the page has an address
 * of its own. A passkey is made with a one-time link, and later opens a session by itself.
 */
export const createPasskeyRoutes = (ports: PasskeyRoutePorts, misuse: Misuse): Hono => {
  const tools = createTools(ports)
  const routes = new Hono()
  routes.use(limitBody(maxResponseBytes))
  routes.route('/register', createRegisterRoutes(ports, tools, misuse))
  routes.route('/login', createLoginRoutes(ports, tools, misuse))
  return routes
}
