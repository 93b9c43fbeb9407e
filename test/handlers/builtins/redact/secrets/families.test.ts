import { describe, expect, test } from 'vitest'
import { find } from '../../../../../src/handlers/builtins/redact/find.ts'
import { replaceSpans } from '../../../../../src/handlers/builtins/redact/span.ts'
import { base62, base64Letters, capitals, digits, seeded, urlLetters } from '../seeded.ts'

const chance = seeded(34)
const redacted = async (text: string): Promise<string> => replaceSpans(text, await find(text))

const hex = '0123456789abcdef'
const small = `${hex}ghijklmnopqrstuvwxyz`
const large = `${capitals}${digits}`
const of =
  (alphabet: string) =>
  (length: number): string =>
    chance.letters(length, alphabet)
const [h, l, u, w, t, b] = [of(hex), of(small), of(large), of(base62), of(urlLetters), of(base64Letters)]
const uuid = (): string => [8, 4, 4, 4, 12].map(h).join('-')

/** Made of chance, and put together here, so that no scanner of repositories finds one. */
const tokens: readonly (readonly [kind: string, make: () => string])[] = [
  ['1password', () => ['A3', u(6), u(11), u(5), u(5), u(5)].join('-')],
  ['adafruit', () => `aio_${w(28)}`],
  ['adobe', () => `p8e-${l(32)}`],
  ['airtable', () => `pat${w(14)}.${h(64)}`],
  ['alibaba', () => `LTAI${w(20)}`],
  ['artifactory', () => `AKCp${w(69)}`],
  ['asana', () => `1/${of(digits)(16)}:${h(32)}`],
  ['atlassian', () => `ATATT3${t(180)}=${u(8)}`],
  ['aws', () => `ABSK${b(120)}`],
  ['azure', () => `${w(3)}8Q~${t(34)}`],
  ['azure', () => `${w(76)}AZDO${w(4)}`],
  ['braintree', () => `access_token$production$${l(16)}$${h(32)}`],
  ['buildkite', () => `bkua_${h(40)}`],
  ['circleci', () => `CCIPAT_${w(22)}_${h(40)}`],
  ['clojars', () => `CLOJARS_${l(60)}`],
  ['cockroachdb', () => `CCDB1_${w(22)}_${w(40)}`],
  ['contentful', () => `CFPAT-${t(43)}`],
  ['digitalocean', () => `dop_v1_${h(64)}`],
  ['discord', () => `discord.com/api/webhooks/${of('123456789')(18)}/${t(68)}`],
  ['doppler', () => `dp.pt.${w(43)}`],
  ['duffel', () => `duffel_live_${t(43)}`],
  ['dynatrace', () => `dt0c01.${u(24)}.${u(64)}`],
  ['easypost', () => `EZAK${w(54)}`],
  ['facebook', () => `${of('123456789')(15)}|${t(27)}`],
  ['facebook', () => `EAAC${w(120)}`],
  ['fly io', () => `fm2_${b(160)}`],
  ['gitlab', () => `gldt-${t(20)}`],
  ['google', () => `1//0${t(60)}`],
  ['grafana', () => `glsa_${w(32)}_${h(8)}`],
  ['harness', () => `pat.${t(22)}.${h(24)}.${w(20)}`],
  ['hashicorp vault', () => `s.${w(10)}4b7${w(10)}A`],
  ['heroku', () => `HRKU-AA${t(58)}`],
  ['hubspot', () => `pat-na1-${uuid()}`],
  ['huggingface', () => `hf_QZ${of(capitals + capitals.toLowerCase())(32)}`],
  ['infracost', () => `ico-${w(32)}`],
  ['langchain', () => `lsv2_pt_${h(32)}_${h(10)}`],
  ['mailchimp', () => `${h(32)}-us18`],
  ['mailgun', () => `key-${h(32)}`],
  ['maxmind', () => `${w(6)}_${w(29)}_mmk`],
  ['microsoft teams', () => `.webhook.office.com/webhookb2/${uuid()}@${uuid()}/IncomingWebhook/${h(32)}`],
  ['new relic', () => `NRAK-${u(27)}`],
  ['nuget', () => `oy2${l(43)}`],
  ['nvidia', () => `nvapi-${t(64)}`],
  ['octopus', () => `API-${u(26)}`],
  ['okta', () => `SSWS 00${t(40)}`],
  ['openshift', () => `sha256~${t(43)}`],
  ['perplexity', () => `pplx-${w(48)}`],
  ['planetscale', () => `pscale_tkn_${w(43)}`],
  ['postman', () => `PMAK-${h(24)}-${h(34)}`],
  ['prefect', () => `pnu_${l(36)}`],
  ['pulumi', () => `pul-${h(40)}`],
  ['readme', () => `rdme_${l(70)}`],
  ['replicate', () => `r8_${w(37)}`],
  ['rubygems', () => `rubygems_${h(48)}`],
  ['sendinblue', () => `xkeysib-${h(64)}-${w(16)}`],
  ['sentry', () => `sntryu_${h(64)}`],
  ['shippo', () => `shippo_live_${h(40)}`],
  ['slack', () => `hooks.slack.com/services/T${u(9)}/B${u(9)}/${w(24)}`],
  ['sonar', () => `sqp_${h(40)}`],
  ['sourcegraph', () => `sgp_${h(16)}_${h(40)}`],
  ['square', () => `sq0atp-${t(22)}`],
  ['supabase', () => `sbp_${h(40)}`],
  ['terraform', () => `${w(14)}.atlasv1.${t(66)}`],
  ['typeform', () => `tfp_${t(59)}`],
  ['yandex', () => `AQVN${t(36)}`],
]

describe('a token with the mark of its vendor', () => {
  test.each(tokens)('is taken out whole: %s', async (kind, make) => {
    for (let count = 0; count < 5; count++) {
      const token = make()
      const said = await redacted(`Here it is: "${token}", and please keep it.`)
      expect(said, token).toMatch(new RegExp(`^Here it is: "[^"]{0,2}\\[redacted: ${kind}\\]", and`))
    }
  })
})

/** Values without a mark, by the look that vendors give to them. */
const values: readonly (() => string)[] = [
  () => h(32),
  () => h(40),
  () => h(64),
  () => `7${l(24)}`,
  () => `3${w(31)}`,
  () => `5${t(42)}`,
  () => `9${b(42)}=`,
  uuid,
]
const assignments: readonly (readonly [how: string, write: (value: string) => string])[] = [
  ['a variable of a shell', (value) => `export ACME_API_KEY="${value}"`],
  ['a variable without quotes', (value) => `HEROKU_TOKEN=${value}\n`],
  ['a variable of make', (value) => `SNYK_TOKEN ::= "${value}"`],
  ['JSON', (value) => `{"clientSecret": "${value}"}`],
  ['JSON in JSON', (value) => JSON.stringify({ text: JSON.stringify({ apiKey: value }) })],
  ['YAML', (value) => `acme:\n  access-token: ${value}\n`],
  ['Terraform', (value) => `  secret_key  = "${value}"`],
  ['Go', (value) => `oktaApiToken := "${value}"`],
  ['TypeScript', (value) => `const sonarToken: string = '${value}'`],
  ['Rust', (value) => `const ACME_SECRET: &str = "${value}";`],
  ['PHP', (value) => `'facebook_app_secret' => '${value}',`],
  ['a call', (value) => `setenv("SENTRY_AUTH_TOKEN", "${value}")`],
  ['XML', (value) => `<apiKey>${value}</apiKey>`],
  ['a variable of a pod', (value) => `- name: ACME_TOKEN\n  value: "${value}"`],
  ['a Dockerfile', (value) => `ENV ACME_TOKEN ${value}`],
  ['an option', (value) => `acme login --api-key ${value}`],
  ['a header', (value) => `curl -H "X-Acme-Api-Key: ${value}" https://acme.example`],
  ['a scheme of HTTP', (value) => `-H 'Authorization: Token ${value}'`],
  ['a header without a scheme', (value) => `-H 'Authorization: ${value}'`],
  ['an address', (value) => `https://acme.example/v1?access_token=${value.replaceAll(/[+/=]/g, 'x')}&page=2`],
  ['a sentence', (value) => `The API key is ${value}, keep it.`],
]

describe('a key without a mark, at a name that says what it is', () => {
  test.each(assignments)('is taken out, and the name stays: %s', async (_how, write) => {
    for (const make of values) {
      const value = make()
      const said = await redacted(write(value))
      expect(said, write(value)).toContain('[redacted: ')
      expect(said).not.toContain(value.slice(-8))
      expect(said.slice(0, 4)).toBe(write(value).slice(0, 4))
    }
  })

  test.each([
    [`SUMO_ACCESS_ID=su${w(11)}4`, 'SUMO_ACCESS_ID=[redacted: access id]'],
    [`meraki: ${h(40)}`, 'meraki: [redacted: key]'],
    ['"secret_key": "sk_h0rse#B4tt3ry&&*Stapl3Zq9"', '"secret_key": "[redacted: key]"'],
    ['telegram_bot = "31415:Ah0rseB4ttery_St4pleZ9"', 'telegram_bot = "[redacted: key]"'],
    ['Authorization: Bearer h0rse-B4tt3ry9', 'Authorization: Bearer [redacted: key]'],
    ['xoxa-2-h0rseB4ttery', '[redacted: slack]'],
    ['a=1\nspring.datasource.password=Blue12345\n', 'a=1\nspring.datasource.password=[redacted: password]\n'],
    ['"auth": "bWU6aDByc2U="', '"auth": "[redacted: password]"'],
    ['Connect -Password h0rse+B4ttery', 'Connect -Password [redacted: password]'],
    ['Password: Tuesday1!', 'Password: [redacted: password]'],
    ['DB_PASSWORD=tr0ub4dor&3', 'DB_PASSWORD=[redacted: password]'],
    ['password: "Blue-h0rse+9"', 'password: "[redacted: password]"'],
    [
      'machine example.org login me password s3cr3t-w0rd9',
      'machine example.org login me password [redacted: password]',
    ],
    ['redis://:b4tt3ry_st@db:6379/0', 'redis://:[redacted: password in an address]@db:6379/0'],
    ['postgres://me:h0rse@db-xxxxxxxx.example/a', '[redacted: database address]'],
    ["CREATE USER a IDENTIFIED BY 'h0rse-b4ttery'", "CREATE USER a IDENTIFIED BY '[redacted: password]'"],
    [
      '<add key="ClearTextPassword" value="plain words" />',
      '<add key="ClearTextPassword" value="[redacted: nuget password]" />',
    ],
    ['BUNDLE_GEMS__EXAMPLE__ORG: "me:pa55word"', 'BUNDLE_GEMS__EXAMPLE__ORG: "[redacted: bundler]"'],
    ["curl -s -u 'me:c0rrect horse'", "curl -s -u 'me:[redacted: password] horse'"],
    [
      'curl https://a.example \\\n  --user me:pB7cQ9',
      'curl https://a.example \\\n  --user me:[redacted: password]',
    ],
    [
      `Authorization: Basic ${Buffer.from('me:h0rse').toString('base64')}`,
      'Authorization: Basic [redacted: password]',
    ],
  ])('is taken out where its form is less than random: %s', async (text, said) => {
    expect(await redacted(text)).toBe(said)
    expect(await redacted(said)).toBe(said)
  })
})

describe('a Secret of Kubernetes', () => {
  const value = Buffer.from('horse:battery').toString('base64')
  const left = '[redacted: kubernetes secret]'
  const yaml = (value: string): string =>
    `kind: ConfigMap\ndata:\n  a: ${Buffer.from('open words').toString('base64')}\n---\napiVersion: v1\ndata:\n  # ${'note'.repeat(4)}\n  user: "${value}"\n  file: |\n    ${value}\nkind: Secret\ntype: Opaque\n`
  test.each([
    ['YAML, and no other document', yaml],
    ['YAML with a remark', (value: string) => `data:\n  a: ${value} # as before\nkind: Secret`],
    ['YAML with plain values', (value: string) => `kind: 'Secret'\r\nstringData:\r\n  word: ${value}\r\n`],
    ['JSON', (value: string) => JSON.stringify({ data: { user: value }, kind: 'Secret', type: 'Opaque' })],
    [
      'JSON of several lines',
      (value: string) => JSON.stringify({ kind: 'Secret', data: { user: value } }, null, 2),
    ],
  ])('loses its values: %s', async (_how, write) => {
    expect(await redacted(write(value))).toBe(write(left))
    expect(await redacted(write(left))).toBe(write(left))
  })

  test.each([
    'kind: Secret\ndata:\n  word: {{ .Values.word }}\n  none: ""\n',
    'kind: Secret\ndata:\n  word: REPLACE_ME\n  other: changeme\n',
    'kind: ExternalSecret\ndata:\n  word: bW9yZSB0aGFuIG9uZSB3b3Jk\n',
    'kind: Secret\nmetadata:\n  name: somewhere-else-entirely\n',
  ])('keeps what is none: %j', async (text) => {
    expect(await redacted(text)).toBe(text)
  })
})

describe('what is written in the place of a secret', () => {
  test.each([
    'Authorization: Bearer ${API_KEY_2}',
    'curl -H "Authorization: Token <YOUR_TOKEN_1>"',
    'curl -u "$USER1:$PASS1" -u name:password -u "{{ .User }}:{{ .Pass1 }}" -u me:[PASSWORD] https://a.example',
    'api_key = os.environ["ACME_API_KEY_2"]',
    'const token = process.env.ACME_TOKEN_1 ?? config.tokens[0].token1',
    'token: {{ .Values.token2 }}',
    'ACME_API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx1',
    'heroku_api_key=00000000-0000-0000-0000-000000000000',
    'API_KEY="your-api-key-goes-here-123"',
    `AWS_SECRET_ACCESS_KEY=${['wJalrXUtnFEMI', 'K7MDENG', 'bPxRfiCYEXAMPLEKEY'].join('/')}`,
    'sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxAA',
    'hvs.XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
    'xoxb-xxxxxxxxxxx-xxxxxxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxx',
    'sk_test_abcdefghijklmnopqrstuvwx',
    'xoxp-1-TheTokenOfYourAppGoesHereInstead',
    'https://example.org/xoxo-festival-2018',
    'password = "password123"',
    "Authorization: 'AWS4-HMAC-SHA256 Credential=…'",
    '"password": "Use8Characters or more"',
    'password: "^(?=.*[A-Z]).{8,20}$"',
    'connect(password = NewWord2, user)',
    'PASSWORD_RESET_PATH=/account/password/reset2',
  ])('stays: %s', async (text) => {
    expect(await redacted(text)).toBe(text)
  })
})

describe('what has the look of a secret, at a name of something else', () => {
  test.each([
    () => `commit: ${h(40)}`,
    () => `token: "0x${h(40)}"`,
    () => `sessionKey: "${uuid()}"`,
    () => `"total_tokens": ${of('123456789')(16)}`,
    () => `ssh_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${b(43)}"`,
    () => `password_md5: ${h(32)}`,
    () => `"integrity": "sha512-${b(86)}=="`,
    () => `image: acme/token-service@sha256:${h(64)}`,
    () => `request_id=${uuid()}`,
    () => `kms_key_id = "${uuid()}"`,
    () => `idempotency_key: ${uuid()}`,
    () => `cacheKey = "${h(32)}"`,
    () => `publicKey: "${b(43)}="`,
    () => `csrf-token=${b(43)}=`,
    () => `nextPageToken: "${b(43)}="`,
    () => `keyHash: ${h(64)}`,
    () => 'secret_length = X25519.secret_length2',
    () => 'tokenUrl = "https://a1.example/oauth2/token"',
    () => 'key = "2026-11-28T22:53:40Z"',
    () => "import { chainFirst1Key, chain_Second2_Key } from '../consts2'",
    () => 'TOKEN_NAME = "ACME-V2-API-KEY"',
    () => 'const letters = "0123456789abcdefghijklmnopqrstuvwxyz"',
    () => `src="/pictures/vipul-${h(64)}.png"`,
  ])('stays (%#)', async (make) => {
    for (let count = 0; count < 5; count++) {
      const text = make()
      expect(await redacted(text)).toBe(text)
    }
  })
})
