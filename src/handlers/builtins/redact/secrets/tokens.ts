/**
 * The forms of the tokens that vendors give out, from their documentation. A line is the kind, the mark that
 * no word contains, and what follows it. What stands before a sign `<` comes before the mark. A letter and a
 * number stand for that many characters of an alphabet, and everything else is a part of a regular
 * expression. Every quantifier is bounded, because the text is hostile.
 */
const alphabets: Readonly<Record<string, string>> = {
  d: String.raw`\d`,
  /** Small hex. */
  h: '[0-9a-f]',
  /** Hex of both cases. */
  x: '[0-9A-Fa-f]',
  /** Letters of one case and digits. */
  l: '[a-z0-9]',
  u: '[A-Z0-9]',
  /** Letters and digits. */
  w: '[A-Za-z0-9]',
  /** Letters and digits of URLs, and with a sign for what is left over. */
  t: String.raw`[\w-]`,
  e: String.raw`[\w=-]`,
  /** Base64. */
  b: '[A-Za-z0-9+/]',
}
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export interface TokenForm {
  readonly kind: string
  /** What stands before the mark and belongs to the token. The search is for the mark, because it is rare. */
  readonly lead: string
  readonly mark: string
  readonly body: string
  /** The alphabet and the least and most letters of a body that is made of one. */
  readonly letters: { readonly alphabet: string; readonly least: number; readonly most: number } | undefined
}

/** Undefined: the part is no letter and number. */
export const lettersOf = (part: string): TokenForm['letters'] => {
  const [, letter = '', least = '', most = least] = /^([a-z])(\d+)(?:-(\d+))?$/.exec(part) ?? []
  const alphabet = alphabets[letter]
  return alphabet === undefined ? undefined : { alphabet, least: Number(least), most: Number(most) }
}
const formOf = (part: string): string => {
  const letters = lettersOf(part)
  return letters === undefined
    ? part.replace('uuid', uuid)
    : `${letters.alphabet}{${letters.least},${letters.most}}`
}
const formsOf = (table: string): readonly TokenForm[] =>
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [kind = '', ...parts] = line.trim().split(/ +/)
      const at = parts.indexOf('<') + 1
      const body = parts.slice(at + 1)
      return {
        kind: kind.replaceAll('_', ' '),
        lead: parts
          .slice(0, Math.max(0, at - 1))
          .map(formOf)
          .join(''),
        mark: formOf(parts[at] ?? ''),
        body: body.map(formOf).join(''),
        letters: body.length === 1 ? lettersOf(body[0] ?? '') : undefined,
      }
    })

/** The tokens whose pieces are put together, in whichever texts and with whatever between them. */
export const halved = formsOf(String.raw`
  github gh[posur]_ w36
  github github_pat_ t82
  aws A[KS]IA (?!\w{9}EXAMPLE) [A-Z2-7]{16}
  google AIza t35
  google GOCSPX- t28
  telegram d8-10 < :AA t33
  openai sk-(?:proj|svcacct|admin)- t40-250
  openrouter sk-or-v1- h64
  anthropic sk-ant-[a-z]{3,8}\d\d- t78-198 AA
  slack xox[bp]- d10-13 - d10-13 - w24
  npm npm_ w36
  gitlab glpat- t20-128
  stripe [sr]k_(?:live|test|prod)_ w24-99
  shopify shp(?:at|ca|pa|ss|tka)_ h32
  sendgrid SG\. t22 \. t43
  token eyJ t8-512 \.eyJ t8-6000 \. t8-1000
`)

/** The other tokens. Where a mark is common, no letter of the token's alphabet may stand beside the token. */
export const further = formsOf(String.raw`
  google ya29\. t20-500
  google 1//0 t35-110
  openai sk-(?=[a-z0-9]{0,47}[A-Z]) w48
  deepseek (?<!\w)sk- h32 (?!\w)
  slack xox[abceoprs]- w20-250
  slack hooks\.slack\.com/(?:services|workflows|triggers)/ [\w/+]{30,100}
  discord discord(?:app)?\.com/api/webhooks/ d17-20 / t60-80
  discord [MNO] t23-27 \. t6 \. (?=[\w-]{0,26}\d) t27-38
  microsoft_teams \.webhook\.office\.com/webhookb2/ uuid @uuid /IncomingWebhook/ h32
  zapier hooks\.zapier\.com/hooks/catch/ d4-12 / w5-12
  pypi pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZ) t50-500
  twilio SK h32
  groq gsk_ w52
  huggingface (?:hf|api_org)_ (?=[A-Za-z]{0,32}[A-Z]{2}) [A-Za-z]{34}
  linear lin_(?:api|oauth)_ \w{32,128}
  notion ntn_ d11 w35
  notion secret_ w43
  grafana glc_ b32-400
  grafana glsa_ w32 _ x8
  grafana eyJrIjoi w70-400
  1password ops_ey b100-1280
  1password (?<!\w)A3- u6 - (?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5}) (?:-[A-Z0-9]{5}){3}
  hashicorp_vault hv[bsr]\. t90-300
  hashicorp_vault (?<![\w.])s\. (?=[A-Za-z]{0,22}\d[A-Za-z]{0,22}\d) (?=[a-z0-9]{0,22}[A-Z]) w24 (?![\w.(])
  terraform w14 < \.atlasv1\. e60-70
  vercel vc[aikpr]_ w20-60
  databricks dapi x32
  docker dckr_[po]at_ t27-40
  figma fig[dou]_ t40-200
  cloudflare cf(?:k|ut|at)_ w40 h8
  cloudflare v1\.0- h24 - h146
  tailscale tskey-[a-z]{2,20}- \w{8,40} - \w{16,60}
  atlassian AT[ACS]TT3 e100-250
  atlassian ATBB w32
  trello ATTA h64-72
  adobe p8e- w32
  adafruit aio_ w28
  aiven AVNS_ t19
  airtable pat w14 \. h64
  alibaba (?<!\w)LTAI w12-20 (?!\w)
  tencent (?<!\w)AKID w32 (?!\w)
  apify apify_api_ w36
  artifactory (?<!\w)AKCp w69
  artifactory (?<![\w/+])cmVmd w59 (?![\w/+=])
  asana (?<!\w)[012]/ d16 [:/] h32
  authress (?:sc|ext|scauth|authress)_ l5-30 \. l4-6 \.acc[_-] [a-z0-9-]{10,32} \. [\w+/=-]{30,120}
  aws (?<![\w/+])ABSK b109-269
  aws (?<!\w)A(?:BIA|CCA|3T[A-Z0-9]) [A-Z2-7]{16} (?!\w)
  aws bedrock-api-key-(?:YmVkcm9jay5hbWF6b25hd3MuY29t) [A-Za-z0-9+/=]{0,4000}
  aws amzn\.mws\. uuid
  azure w76 < AZDO w4
  azure [\w~.]{3}\d < Q~ [\w~.-]{31,34} (?![\w~.-])
  braintree access_token\$production\$ l16 \$ h32
  buildkite bk[a-z]{2}_ h40
  cerebras (?<!\w)csk- l48
  circleci CCIP(?:AT|RJ)_ w22 _ h40
  clickhouse (?<!\w)4b1d w38 (?!\w)
  clojars CLOJARS_ w60
  cockroachdb CCDB1_ w22 _ w40
  contentful CFPAT- t43
  crates_io (?<!\w)cio w32 (?!\w)
  defined_networking dnkey- e26 - e52
  deno dd[pow]_ w36
  digitalocean do[opr]_v1_ h64
  doppler dp\.(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\. w40-44
  dropbox (?<!\w)sl\. e130-1300
  duffel duffel_(?:test|live)_ e43
  dynatrace dt0[a-z]01\. w24 \. w64
  e2b e2b_ h40
  easypost (?<!\w)EZ[AT]K w54 (?![\w/+])
  elevenlabs sk_ h48
  endor_labs endr\+ [A-Za-z0-9-]{16}
  facebook d15-16 < \| t27-40
  facebook d15-16 < %7[cC] t27-40
  facebook (?<![\w/+])EAA[A-Z] w100-400
  firecrawl (?<!\w)fc- h32
  fireworks (?<!\w)fw_ w22-24 (?!\w)
  flutterwave FLWSECK(?:_TEST)?- [a-h0-9]{12,32}
  fly_io fo1_ t43
  fly_io fm(?:1[ar]|2)_ b100-4000
  frame_io fio-u- e64
  gitlab gl(?:ptt|dt|rt|rtr|ft|imt|agent|oas|soat|ffct|cbt|wt)- t20-300
  gitlab GR1348941 t20
  gitlab _gitlab_session= h32
  gocardless (?<!\w)(?:live|sandbox)_ t40-42 (?![\w=-])
  harness (?<!\w)[ps]at\. t22 \. h24 \. w20
  heroku HRKU-AA t58
  hubspot pat-[a-z]{2}\d- uuid
  infracost (?<![\w.])ico- w32 (?!\w)
  intra42 s-s4t2(?:ud|af)- h64
  jina jina_ w60
  langchain lsv2_[a-z]{2}_ h32 _ h10
  langfuse sk-lf- uuid
  launchdarkly (?<!\w)(?:api|sdk)- uuid
  lob (?<!\w)(?:live|test)_ h35 (?!\w)
  mailersend mlsn\. h64
  mailgun (?<!\w)key- h32 (?!\w)
  mapbox (?<!\w)[st]k\.eyJ1 t40-400 \. t22
  mailchimp (?<!\w) h32 < -us d1-2
  maxmind w6 _ w29 < _mmk
  midtrans Mid-server- t20-40
  netlify nfp_ w36-40
  new_relic h36 < NRAL
  new_relic NRAK- u27
  new_relic NRII- t32
  new_relic NRJS- h19
  nuget (?<!\w)oy2 l43 (?!\w)
  nvidia nvapi- t60-70
  octopus (?<!\w)API- u25-26 (?!\w)
  okta SSWS\s00 t40
  onfido api_(?:live|sandbox)(?:_[a-z]{2})?\. t11 \. t32
  openshift sha256~ t43
  packagist packagist_[a-z]{3}_ h68
  perplexity pplx- w48
  pinecone pcsk_ w5-6 _ w60-70
  plaid access-(?:sandbox|development|production)- uuid
  planetscale pscale_(?:tkn|pw|oauth)_ [\w=.-]{32,64}
  polar polar_[a-z]{2,4}_ w30-60
  posthog phx_ w43
  postman PMAK- h24 - h34
  postman PMAT- u26
  prefect pn[ub]_ l36
  pulumi (?<!\w)pul- h40
  readme rdme_ l70
  render (?<!\w)rnd_ w32
  replicate (?<!\w)r8_ w37
  resend (?<!\w)re_ w8 _ w24
  rootly rootly_ h64
  rubygems rubygems_ h48
  scalingo tk-us- t48
  segment sgp_ w64
  sendinblue x(?:key|smtp)sib- h64 - w16
  sentry sntrys_eyJ [\w+/=-]{60,1000}
  sentry sntryu_ h64
  settlemint sm_[aps]at_ w16
  shippo shippo_(?:live|test)_ x40
  sonar sq[apu]_ w40
  sourcegraph sgp_(?:[0-9A-Fa-f]{16}_|local_)? x40
  square sq0[a-z]{3}- t22-60
  square (?<![\w/+])EAAA t60
  stripe whsec_ b32-64
  supabase sbp_ h40
  supabase sb_secret_ t31
  tavily tvly- t30-45
  twitter AAAAAAAAAAAAAAAAAAAA [A-Za-z0-9]{5,22}%[23][BDF] [A-Za-z0-9%]{40,90}
  typeform tfp_ [\w.=-]{59}
  wakatime waka_ uuid
  weights_and_biases wandb_v1_ t40-100
  xai xai- w80
  yandex (?<!\w)t1\. t10-300 ={0,2}\. t86
  yandex (?<!\w)AQVN t35-38 (?![\w-])
  yandex (?<![\w+/-])YC t38 (?![\w-])
`)
