// @ts-check

/** The browser cannot make or store a key. */
export class NoKey extends Error {}

/** The gate's time minus this browser's time, in milliseconds. */
let clockOffsetMs = 0

/** Reads the gate's time from an answer. @param {Response} answer */
export const followClock = (answer) => {
  const atMs = Date.parse(answer.headers.get('Date') ?? '')
  if (!Number.isNaN(atMs)) clockOffsetMs = atMs - Date.now()
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const done = (request) =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser stores nothing.')))
  })

/** @returns {Promise<CryptoKeyPair>} */
const read = async () => {
  const opening = indexedDB.open('hookgate', 1)
  opening.addEventListener('upgradeneeded', () => void opening.result.createObjectStore('keys'))
  const database = await done(opening)
  try {
    const find = () => done(database.transaction('keys').objectStore('keys').get('page'))
    const found = await find()
    if (found !== undefined) return found
    // The private key can sign, and no script can read it.
    const made = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
    // Another tab may have stored a key first. Then that key stays.
    await done(database.transaction('keys', 'readwrite').objectStore('keys').add(made, 'page')).catch(
      () => undefined,
    )
    return await find()
  } finally {
    database.close()
  }
}

/**
 * Loads this browser's key pair. Sessions are bound to it, so a session without the key is useless. A reload
 * finds the same key.
 */
const key = async () => {
  const { privateKey, publicKey } = await read()
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  return { privateKey, jwk: { kty, crv, x, y } }
}

/** @type {ReturnType<typeof key> | undefined} */
let loadedKey

/** @param {ArrayBuffer | Uint8Array} bytes */
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
/** @param {string} text */
const bytesOf = (text) => new TextEncoder().encode(text)
/** @param {object} value */
const part = (value) => base64url(bytesOf(JSON.stringify(value)))

/**
 * Makes a proof for one request (DPoP, RFC 9449). It shows that the request comes from the browser that
 * opened the
 * session.
 * @param {string} method @param {string} path @param {string | null} session
 */
export const proofOf = async (method, path, session) => {
  loadedKey ??= key().catch(() => Promise.reject(new NoKey()))
  const { privateKey, jwk } = await loadedKey
  const ath =
    session === null ? {} : { ath: base64url(await crypto.subtle.digest('SHA-256', bytesOf(session))) }
  const claims = {
    jti: crypto.randomUUID(),
    htm: method,
    htu: `${location.origin}${path}`,
    iat: Math.floor((Date.now() + clockOffsetMs) / 1000),
    ...ath,
  }
  const signed = `${part({ typ: 'dpop+jwt', alg: 'ES256', jwk })}.${part(claims)}`
  return `${signed}.${base64url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytesOf(signed)))}`
}
