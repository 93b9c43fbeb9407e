/** The vendors whose keys have no mark, or not all of them. A word of a name begins with one of these. */
const vendors =
  'adafruit|adobe|airtable|algolia|alibaba|aliyun|amplitude|asana|atlassian|auth0|beamer|bitbucket|bittrex|' +
  'buildkite|cisco|cloudflare|cloudinary|codecov|cohere|coinbase|confluen|contentful|datadog|deepgram|deepl|' +
  'digitalocean|discord|docusign|doppler|droneci|dropbox|dynatrace|easypost|etsy|facebook|fastly|finicity|' +
  'finnhub|flickr|freshbooks|gitter|gocardless|heroku|hubspot|infura|intercom|jfrog|jira|kraken|kucoin|' +
  'launchdarkly|linkedin|looker|mailchimp|mailgun|mailjet|mandrill|mapbox|mattermost|meraki|messagebird|' +
  'mixpanel|netlify|newrelic|nytimes|okta|opsgenie|pagerduty|plaid|postmark|privateai|pusher|rapidapi|' +
  'rollbar|sendbird|sendinblue|sentry|shodan|snyk|sonar|sourcegraph|splunk|spotify|square|sumo|telegr|tmdb|travis|' +
  'trello|twilio|twitch|twitter|typeform|yandex|zendesk|zoho'
const vendor = new RegExp(`^(?:${vendors})`)
const password =
  /(?:passw(?:or)?ds?|passphrase|passcode|pwd)$|^(?:pass|(?:db|user|smtp|mail|my|root|admin)pass)$/
const secret =
  /(?:tokens?|secrets?|credentials?|authorization|(?:api|access|secret|auth|private|license|account|client|master|signing|encryption)keys?)$|^(?:auth|pat|jwt|dsn)$/
/** The words before "key" that make it the key of a lock. The key of a map has others. */
const lock = new RegExp(
  '^(?:api|access|secret|private|auth|encryption|encrypt|cipher|aes|signing|sign|hmac|master|license|account|' +
    'admin|subscription|shared|app|application|service|storage|client|consumer|server|live|production|' +
    'ingestion|ingest|deploy|ssh|jwt|root|webhook|integration|developer|function|host|' +
    'personal|security)$',
)
/** The words at the end of a name that say nothing about its value. */
const empty =
  /^(?:value|string|str|env|prod|production|dev|staging|test|live|sandbox|default|new|old|v?\d+|base64|b64|header|plain|text|plaintext|raw|primary|secondary)$/
/** The words of a name whose value is known to everybody, or is no secret. */
const harmless = new RegExp(
  '^(?:public|pub|publishable|csrf|xsrf|authenticity|idempotency|cache|sort|partition|foreign|next|page|' +
    'pagination|continuation|cursor|sync|anti|forgery|verification|fake|mock|example|sample|dummy|' +
    'placeholder|sha\\d*|md5|hash|checksum|digest|fingerprint|integrity|etag|nonce|commit|revision|rev|' +
    'srcrev|version|ref|device|captcha|recaptcha|sitekey|measurement|tracking)$',
)
/** A name without any of these is not looked at further. */
const telling = new RegExp(`${vendors}|key|token|secret|pass|pwd|credential|auth|value|pat\\b|jwt|dsn`, 'i')

export type Level = 'none' | 'vendor' | 'secret' | 'secret of a vendor' | 'password'

/** The most words of a name that are looked at, from its end. */
const maxWords = 6

/** What a name says about its value. */
export const levelOf = (name: string): Level => {
  if (!telling.test(name)) return 'none'
  const words = (name.match(/[A-Z]?[a-z]+\d?|[A-Z]+(?![a-z])\d?|\d+/g) ?? [])
    .slice(-maxWords)
    .map((word) => word.toLowerCase())
  while (words.length > 1 && empty.test(words.at(-1) ?? '')) words.pop()
  if (words.some((word) => harmless.test(word))) return 'none'
  const last = words.at(-1) ?? ''
  if (password.test(last)) return 'password'
  const isOfVendor = last === 'authorization' || words.some((word) => vendor.test(word))
  const isKey = last === 'key' || last === 'keys'
  if (secret.test(last) || (isKey && lock.test(words.at(-2) ?? '')))
    return isOfVendor ? 'secret of a vendor' : 'secret'
  if (!isOfVendor) return 'none'
  return isKey || last === 'login' ? 'secret of a vendor' : vendor.test(last) ? 'vendor' : 'none'
}

/** The most characters of a name, with what stands between it and its value. */
const nameUnits = 60
const between = /["'`\])\s:?|=\\]/
const letter = /[\w.$& -]/
const typeName = /^\s*&?(?:str|string|String|any)\s*$/
/** A name and a value in fields of their own: `name: TOKEN, value: …` or `key="Password" value="…"`. */
const pair =
  /(?:name|key)["']?\s{0,4}[:=]\s{0,4}["']?([\w.-]{2,60})["']?[,;\s]{1,40}["']?(?:\w{1,20}_)?value["']?\s{0,4}$/i
const pairUnits = 140

const wordsBefore = (text: string, end: number): { readonly name: string; readonly at: number } => {
  const from = Math.max(0, end - nameUnits)
  let at = end
  while (at > from && between.test(text.charAt(at - 1))) at -= 1
  const last = at
  while (at > from && letter.test(text.charAt(at - 1))) at -= 1
  return { name: text.slice(at, last), at }
}

/** The name of a value whose sign of assignment stands at `end`. */
export const nameBefore = (text: string, end: number): string => {
  const { name, at } = wordsBefore(text, end)
  // A type stands between them, as in `apiKey: string = "…"`.
  if (typeName.test(name) && text.charAt(at - 1) === ':') return wordsBefore(text, at - 1).name
  return /value\s*$/i.test(name)
    ? (pair.exec(text.slice(Math.max(0, end - pairUnits), end))?.[1] ?? name)
    : name
}
