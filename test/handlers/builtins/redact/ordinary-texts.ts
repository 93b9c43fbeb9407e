import { wordlist as english } from '@scure/bip39/wordlists/english.js'
import { base62, base64Letters, type Seeded } from './seeded.ts'

const hexLetters = '0123456789abcdef'
const sentences = {
  English: [
    'Can you look at why the deploy is still pending?',
    'The key to the shed hangs behind the door.',
    'Please send me the token for the coat check, it is number 12.',
    'I wrote the password down on paper, not here!',
    'We meet at 14:30 in room B2-17, bring the report.',
    'That bearer of good news was my brother.',
    '“Well,” she said – and left… nobody knew why.',
  ],
  German: [
    'Kannst du mir sagen, warum die Übersetzung noch fehlt?',
    'Der Schlüssel liegt unter der Fußmatte, wie immer.',
    'Die Rechnung über 1.299,00 € ist gestern gekommen.',
  ],
  French: [
    'Il faut ouvrir la fenêtre, prendre le livre rouge et fermer la porte.',
    'Le problème est résolu : merci à tous !',
    'Où est passée la clé de la boîte aux lettres ?',
  ],
  Spanish: [
    'Mañana vamos al mercado, compramos fruta y verdura.',
    '¿Dónde está la contraseña del wifi? La tiene mi abuela.',
    'El niño durmió toda la tarde.',
  ],
  Vietnamese: ['Hôm nay trời đẹp quá, chúng ta đi dạo nhé.', 'Báo cáo tuần trước đã gửi cho mọi người chưa?'],
  Russian: [
    'Посмотри, пожалуйста, почему сборка упала вчера вечером.',
    'Ключ лежит на столе, пароль я никому не скажу.',
  ],
  Arabic: ['هل يمكنك إرسال التقرير قبل الساعة الثالثة؟', 'المفتاح على الطاولة والباب مفتوح.'],
  Hindi: ['कृपया रिपोर्ट आज शाम तक भेज दें।', 'चाबी मेज पर रखी है।'],
  Chinese: [
    '今天下午三点开会,记得带上上周的报告。',
    '密码不要写在这里,大家都能看到!',
    'ＡＢＣ公司的合同编号是２０２６-１１７,请核对。',
  ],
  Japanese: [
    'きのうのかいぎのしりょうをおくってください。',
    'カギは机の上にあります。よろしくお願いします。',
    'ﾃﾞｰﾀを確認しました。',
  ],
  Korean: ['오늘 회의는 오후 세 시에 시작합니다.', '비밀번호는 여기에 쓰지 마세요.'],
  faces: [
    'Great 👍🏽 see you 👨‍👩‍👧‍👦 at the 🏖️!',
    '🇩🇪 vs 🇫🇷 tonight, 1️⃣ beer each ❤️',
    'l̶a̶s̶t̶ ̶w̶e̶e̶k̶ yesterday, 𝒃𝒊𝒈 news ™ ½ price',
  ],
} as const
const names = [
  'loadUser',
  'apiKey',
  'secretName',
  'readToken',
  'private_key',
  'retry_count',
  'parseHeader',
  'MAX_BYTES',
  'seedPhrase',
  'isReady',
  '_internal_map',
  'AuthTokenProviderFactory',
]

const hex = (seeded: Seeded, length: number): string => seeded.letters(length, hexLetters)
const uuid = (seeded: Seeded): string => [8, 4, 4, 4, 12].map((length) => hex(seeded, length)).join('-')
const many = (seeded: Seeded, count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')
const sentence = (seeded: Seeded): string => seeded.pick(seeded.pick(Object.values(sentences)))
const time = (seeded: Seeded): string =>
  `2026-11-${String(10 + seeded.below(20))}T${String(10 + seeded.below(14))}:${String(10 + seeded.below(50))}:07.${String(100 + seeded.below(900))}Z`
const path = (seeded: Seeded): string =>
  `src/${seeded.pick(['hooks', 'store', 'server'])}/${seeded.pick(names)}.ts:${seeded.below(300) + 1}:${seeded.below(80) + 1}`

/** What people and their agents write every day, by what it is; each makes one text. */
export const ordinaryTexts: Readonly<Record<string, (seeded: Seeded) => string>> = {
  'chat in twelve languages': (seeded) => many(seeded, 6, () => `${sentence(seeded)} ${sentence(seeded)}`),
  'prose of seed words': (seeded) =>
    many(
      seeded,
      5,
      () =>
        Array.from({ length: 9 }, () => seeded.pick(english)).join(' ') +
        seeded.pick([' and then.', ', they said.', ' 2000 times.']),
    ),
  code: (seeded) =>
    many(seeded, 12, () =>
      seeded.pick([
        `export const ${seeded.pick(names)} = async (${seeded.pick(names)}: string): Promise<number> => ${seeded.pick(names)}.length * ${seeded.below(99)}`,
        `  if (!${seeded.pick(names)}.has("${seeded.pick(names)}")) throw new Error(\`Expected \${${seeded.pick(names)}}, got "\\n"\`)`,
        `const pattern = /^(?:sk-[A-Za-z0-9_-]{40}|ghp_[A-Za-z0-9]{36})$/ // ${seeded.pick(names)}`,
        `headers['authorization'] = 'Bearer ' + ${seeded.pick(names)}`,
        `${seeded.pick(names)} = os.environ["${seeded.pick(names).toUpperCase()}"] or f"{${seeded.pick(names)}!r}"`,
        `fn ${seeded.pick(names)}<'a>(x: &'a [u8]) -> Result<Vec<u8>, Box<dyn Error>> { x.iter().map(|b| b ^ 0x5a).collect() }`,
      ]),
    ),
  'minified code': (seeded) =>
    Array.from(
      { length: 60 },
      () =>
        `function ${seeded.letters(1)}(${seeded.letters(1)},${seeded.letters(2)}){return ${seeded.letters(1)}["${seeded.letters(6)}"]*${seeded.below(9999)}||!${seeded.letters(1)}}`,
    ).join(';'),
  logs: (seeded) =>
    many(
      seeded,
      12,
      () =>
        `${time(seeded)} ${seeded.pick(['INFO', 'WARN', 'ERROR'])} [${uuid(seeded)}] ${seeded.pick(['GET', 'POST'])} /v1/${seeded.pick(['users', 'keys', 'tokens'])}/${seeded.below(1e9)} ${seeded.pick([200, 404, 500])} ${seeded.below(900)}ms trace=${hex(seeded, 32)} span=${hex(seeded, 16)}`,
    ),
  'lock files': (seeded) =>
    many(
      seeded,
      8,
      () =>
        `    "node_modules/${seeded.pick(['@types/', '', '@scure/'])}${seeded.letters(8, 'abcdefghijklmnop')}": {\n      "version": "${seeded.below(9)}.${seeded.below(20)}.0",\n      "integrity": "sha512-${seeded.bytes(64).toString('base64')}"\n    },`,
    ),
  configurations: (seeded) =>
    many(seeded, 10, () =>
      seeded.pick([
        `${seeded.pick(names)}: \${${seeded.pick(names).toUpperCase()}}`,
        `password: "changeme" # ${seeded.pick(names)}`,
        'DATABASE_URL=postgres://app:${PGPASSWORD}@db:5432/app',
        `image: registry.example/app@sha256:${hex(seeded, 64)}`,
        'AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE',
        'GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
        '//packages.example.org/:_authToken=${NPM_TOKEN}',
        `etag: "${hex(seeded, 40)}"`,
        'secret_key: <from the vault>',
      ]),
    ),
  git: (seeded) =>
    many(
      seeded,
      6,
      () =>
        `commit ${hex(seeded, 40)}\nAuthor: A. Person <a.person@example.org>\n\n    ${seeded.pick(sentences.English)}\n\nindex ${hex(seeded, 8)}..${hex(seeded, 8)} 100644\n-  ${seeded.pick(names)}()\n+  ${seeded.pick(names)}(${seeded.pick(names)})`,
    ),
  'pictures in base64': (seeded) =>
    `<img alt="x" src="data:image/png;base64,${Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), seeded.bytes(1200)]).toString('base64')}">`,
  'attachments in lines': (seeded) =>
    `Content-Transfer-Encoding: base64\n\n${seeded.bytes(900).toString('base64').replaceAll(/.{76}/g, '$&\r\n')}`,
  'words in base64': (seeded) =>
    many(seeded, 4, () =>
      Buffer.from(
        JSON.stringify({ id: seeded.below(1e6), text: sentence(seeded), hash: hex(seeded, 40) }),
      ).toString(seeded.pick(['base64', 'base64url', 'hex'])),
    ),
  'stack traces': (seeded) =>
    `TypeError: Cannot read properties of undefined (reading '${seeded.pick(names)}')\n${many(seeded, 10, () => `    at async ${seeded.pick(names)} (file:///home/app/${path(seeded)})`)}`,
  'hex dumps': (seeded) =>
    many(
      seeded,
      20,
      (index) =>
        `${(index * 16).toString(16).padStart(8, '0')}: ${hex(seeded, 32).replaceAll(/.{4}(?=.)/g, '$& ')}  ................`,
    ),
  addresses: (seeded) =>
    many(seeded, 8, () =>
      seeded.pick([
        `https://example.org/search?q=${encodeURIComponent(sentence(seeded))}&page=${seeded.below(9)}`,
        `https://cdn.example.org/a/${seeded.letters(32)}/img.webp?sig=${seeded.letters(43, base62)}`,
        `https://docs.example.org/${seeded.pick(names)}#${seeded.pick(names)}`,
        `mailto:a.person@example.org?subject=${encodeURIComponent('hello there')}`,
      ]),
    ),
  'web pages': (seeded) =>
    many(seeded, 8, () =>
      seeded.pick([
        `<p class="lead">${sentence(seeded)}&nbsp;&mdash; <b>${seeded.pick(names)}</b></p>`,
        `<li><a href="/x?a=1&amp;b=2">${seeded.pick(sentences.English)}</a></li>`,
        `<td>${seeded.below(1e6)}</td><td>&euro;&#8239;${seeded.below(99)}</td>`,
      ]),
    ),
  Markdown: (seeded) =>
    many(seeded, 8, () =>
      seeded.pick([
        `- **${seeded.pick(names)}**: ${sentence(seeded)} \`${seeded.pick(names)}(${hex(seeded, 12)})\``,
        `| ${seeded.pick(names)} | \`${hex(seeded, 7)}\` | ${seeded.below(1e5)} |`,
        `_${seeded.pick(sentences.English)}_ see [the docs](https://example.org/${seeded.pick(names)})`,
        `Run \`git show ${hex(seeded, 40)}\` \\(or \\_${seeded.pick(names)}\\_\\)\\.`,
      ]),
    ),
  'public keys': (seeded) =>
    seeded.pick([
      `-----BEGIN CERTIFICATE-----\n${seeded.letters(896, base64Letters).replaceAll(/.{64}/g, '$&\n')}-----END CERTIFICATE-----`,
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${seeded.letters(43, base64Letters)} me@laptop`,
      `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${seeded.letters(480, base64Letters)}= me@laptop`,
      `tx 0x${hex(seeded, 64)} from 0x${hex(seeded, 40)} to 0x${hex(seeded, 40)}`,
      `SHA256:${seeded.letters(43, base64Letters)}`,
    ]),
  'data as JSON': (seeded) =>
    JSON.stringify(
      Array.from({ length: 6 }, () => ({
        id: uuid(seeded),
        name: sentence(seeded),
        quoted: JSON.stringify({ path: `C:\\${seeded.pick(names)}\\${seeded.pick(names)}` }),
        cursor: seeded.bytes(24).toString('base64url'),
        at: time(seeded),
        n: seeded.below(1e12),
      })),
      null,
      seeded.pick([0, 2]),
    ),
  digits: (seeded) =>
    many(
      seeded,
      10,
      () =>
        `${seeded.below(1e9)}:${seeded.letters(12, '0123456789')} | ${Array.from({ length: 8 }, () => seeded.below(256).toString(16).padStart(2, '0')).join(':')} | +49 30 ${seeded.below(1e6)} | IBAN DE${seeded.letters(20, '0123456789')}`,
    ),
}
