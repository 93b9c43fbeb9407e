// @ts-check
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { t } from '../language/language.js'
import { post } from '../session/wire.js'

/** @typedef {{ session: string } | { why: string }} Entered */

/** What a person reads when the browser or the person ended it. @param {unknown} error @returns {Entered} */
const ended = (error) => {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') return { why: t.passkeyCancelled }
  if (name === 'InvalidStateError') return { why: t.passkeyKnown }
  return { why: t.passkeyFailed(error instanceof Error ? error.message : String(error)) }
}

/**
 * Asks the server for a challenge, the device for an answer, and gives the answer to the server.
 * @param {'register' | 'login'} what @param {object} body @param {(options: never) => Promise<object>} ask
 * @returns {Promise<Entered>}
 */
const exchange = async (what, body, ask) => {
  if (!browserSupportsWebAuthn()) return { why: t.passkeyMissing }
  const options = await post(`/api/passkeys/${what}/options`, body)
  if (!options.isDone) return { why: options.why }
  try {
    const response = await ask(/** @type {never} */ (options.value))
    const answer = await post(`/api/passkeys/${what}`, { ...body, response })
    return answer.isDone ? /** @type {{ session: string }} */ (answer.value) : { why: answer.why }
  } catch (error) {
    return ended(error)
  }
}

/** Makes a passkey with the one-time part of a link, and logs in with it. @param {string} register */
export const makePasskey = (register) =>
  exchange('register', { register }, (optionsJSON) => startRegistration({ optionsJSON }))

export const logInByPasskey = () =>
  exchange('login', {}, (optionsJSON) => startAuthentication({ optionsJSON }))
