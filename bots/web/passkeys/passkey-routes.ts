import { createHash } from 'node:crypto'
import { Hono, type Context } from 'hono'
import { z } from 'zod'
import { languageOf, openSession, thumbprintOf } from '../http/authenticate.ts'
import { limitBody, readBody, refuse, refuseBody } from '../http/guard.ts'
import type { Misuse } from '../http/misuse.ts'
import type { PagePorts } from '../http/ports.ts'
import { Assertion, createRelyingParty, Registration } from './relying-party.ts'

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

/** Refuses an answer of a device. */
const refuseAnswer = (c: Context, kind: 'late' | 'wrong'): Response =>
  kind === 'late'
    ? refuse(
        c,
        403,
        'web.challenge',
        'Expected an answer within 3 minutes, got a late or a used one.',
        'Try again.',
      )
    : refuse(
        c,
        403,
        'web.passkey',
        'Expected a passkey of an owner for this address, got another one.',
        newLink,
      )

/** A challenge is good for one purpose in one browser. */
const purposeOf = (what: string, thumbprint: string): string => JSON.stringify([what, thumbprint])
const registering = (register: string): string =>
  `register ${createHash('sha256').update(register).digest('base64url')}`

type Party = ReturnType<typeof createRelyingParty>

/** The routes that make a passkey with a one-time link. */
const createRegisterRoutes = (ports: PagePorts, party: Party, misuse: Misuse): Hono => {
  const { sessions, passkeys } = ports
  const routes = new Hono()
  routes.post('/options', async (c) => {
    const body = await readBody(c, registerBody)
    if (body === undefined) return refuseBody(c, '{register}')
    const thumbprint = thumbprintOf(c, ports)
    if (typeof thumbprint !== 'string') return thumbprint
    const found = sessions.lookUp(body.register)
    if (found.kind !== 'good') return refuseLink(c, found.kind, misuse)
    const purpose = purposeOf(registering(body.register), thumbprint)
    return c.json(await party.registrationOptions(found.owner, passkeys.idsOf(found.owner), purpose))
  })
  routes.post('/', async (c) => {
    const body = await readBody(c, registeredBody)
    if (body === undefined) return refuseBody(c, '{register, response}')
    const thumbprint = thumbprintOf(c, ports)
    if (typeof thumbprint !== 'string') return thumbprint
    const found = sessions.lookUp(body.register)
    if (found.kind !== 'good') return refuseLink(c, found.kind, misuse)
    const made = await party.registered(body.response, purposeOf(registering(body.register), thumbprint))
    if (made.kind !== 'good') return refuseAnswer(c, made.kind)
    const { id, publicKey, counter } = made.value
    const redeemed = sessions.redeem(body.register)
    if (redeemed.kind !== 'good') return refuseLink(c, redeemed.kind, misuse)
    const { owner } = redeemed
    await ports.entered(languageOf(c))
    const added = await passkeys.add({
      id,
      owner,
      rpId: party.rpId,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      transports: body.response.response.transports,
    })
    if (added.ok) {
      await passkeys.noteUse(id, counter)
      return openSession(c, ports, thumbprint, () => passkeys.find(id) !== undefined)
    }
    const { code, message, fix } = added.problem
    // In a lockdown nothing can be written. The link still opens a session, so that its owner can recover.
    const stands = (): boolean => passkeys.mayEnter(owner)
    if (code === 'gate.lockdown' && stands()) return openSession(c, ports, thumbprint, stands)
    return refuse(c, 409, code, message, fix)
  })
  return routes
}

/** The routes by which a passkey logs in. */
const createLoginRoutes = (ports: PagePorts, party: Party, misuse: Misuse): Hono => {
  const { passkeys } = ports
  const routes = new Hono()
  routes.post('/options', async (c) => {
    if ((await readBody(c, loginBody)) === undefined) return refuseBody(c, '{}')
    const thumbprint = thumbprintOf(c, ports)
    if (typeof thumbprint !== 'string') return thumbprint
    return c.json(await party.loginOptions(purposeOf('login', thumbprint)))
  })
  routes.post('/', async (c) => {
    const body = await readBody(c, loggedInBody)
    if (body === undefined) return refuseBody(c, '{response}')
    const thumbprint = thumbprintOf(c, ports)
    if (typeof thumbprint !== 'string') return thumbprint
    const { id } = body.response
    const answered = await party.loggedIn(body.response, passkeys.find(id), purposeOf('login', thumbprint))
    if (answered.kind !== 'good') return refuseAnswer(c, answered.kind)
    if (!(await passkeys.noteUse(id, answered.value))) {
      misuse.report(
        'A passkey was used whose device counts fewer uses than before, so somebody may have copied it. It was refused. Remove it with /passkeys if you do not know the reason.',
      )
      return refuse(
        c,
        403,
        'web.passkey_copied',
        'Expected a passkey that counts its uses, got one that may be a copy.',
        'Remove it with /passkeys in your chat, and make a new one with /login.',
      )
    }
    return openSession(c, ports, thumbprint, () => passkeys.find(id) !== undefined)
  })
  return routes
}

/**
 * The routes by which a browser gets a session with a passkey. They exist only where the page has an address
 * of its own. A passkey is made with a one-time link, and later opens a session by itself.
 */
export const createPasskeyRoutes = (ports: PagePorts, misuse: Misuse): Hono => {
  const party = createRelyingParty(ports.url(), ports.challenges)
  const routes = new Hono()
  routes.use(limitBody(maxResponseBytes))
  routes.route('/register', createRegisterRoutes(ports, party, misuse))
  routes.route('/login', createLoginRoutes(ports, party, misuse))
  return routes
}
