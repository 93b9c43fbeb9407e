// @ts-check

/** The browser makes or keeps no key. */
export class NoKey extends Error {}

/** The gate's clock less this one's, in milliseconds. */
let aheadMs = 0

/** Takes over the gate's clock from one of its answers. @param {Response} answer */
export const followClock = (answer) => {
  const atMs = Date.parse(answer.headers.get('Date') ?? '')
  if (!Number.isNaN(atMs)) aheadMs = atMs - Date.now()
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const done = (request) =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser keeps nothing.')))
  })

/** @returns {Promise<CryptoKeyPair>} */
const read = async () => {
  const opening = indexedDB.open('hookgate', 1)
  opening.addEventListener('upgradeneeded', () => void opening.result.createObjectStore('keys'))
  const kept = await done(opening)
  try {
    const find = () => done(kept.transaction('keys').objectStore('keys').get('page'))
    const found = await find()
    if (found !== undefined) return found
    // Its private half can sign, and cannot be read: not even by this page.
    const made = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
    // Another tab may have been faster: then its key stays.
    await done(kept.transaction('keys', 'readwrite').objectStore('keys').add(made, 'page')).catch(
      () => undefined,
    )
    return await find()
  } finally {
    kept.close()
  }
}

/** This browser's key, to which its sessions are bound: a session's word alone opens nothing. A reload finds it again. */
const key = async () => {
  const { privateKey, publicKey } = await read()
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  return { privateKey, jwk: { kty, crv, x, y } }
}

/** @type {ReturnType<typeof key> | undefined} */
let mine

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
 * A proof for one request (DPoP, RFC 9449): that it comes from the browser that opened the session.
 * @param {string} method @param {string} path @param {string | null} session
 */
export const proofOf = async (method, path, session) => {
  mine ??= key().catch(() => Promise.reject(new NoKey()))
  const { privateKey, jwk } = await mine
  const ath =
    session === null ? {} : { ath: base64url(await crypto.subtle.digest('SHA-256', bytesOf(session))) }
  const claims = {
    jti: crypto.randomUUID(),
    htm: method,
    htu: `${location.origin}${path}`,
    iat: Math.floor((Date.now() + aheadMs) / 1000),
    ...ath,
  }
  const signed = `${part({ typ: 'dpop+jwt', alg: 'ES256', jwk })}.${part(claims)}`
  return `${signed}.${base64url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytesOf(signed)))}`
}
