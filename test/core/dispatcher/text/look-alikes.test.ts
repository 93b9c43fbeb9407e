import { expect, test } from 'vitest'
import { showLookAlikes } from '../../../../src/core/dispatcher/text/look-alikes.ts'
import { visibleText } from '../../../../src/core/dispatcher/text/text.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'

/** What is written, and what of it is shown by its number. */
const spellings: readonly (readonly [string, string])[] = [
  // One letter of another script in a word
  ['pаypal.com', 'p\\u{430}ypal.com'],
  ['./guаrd.sh', './gu\\u{430}rd.sh'],
  ['сurl https://x.org', '\\u{441}url https://x.org'],
  ['rm -rf /homе', 'rm -rf /hom\\u{435}'],
  ['gооgle', 'g\\u{43e}\\u{43e}gle'],
  ['хterm', '\\u{445}term'],
  ['/usr/bin/руthon3', '/usr/bin/\\u{440}\\u{443}thon3'],
  ['gіthub.com', 'g\\u{456}thub.com'],
  ['jѕon', 'j\\u{455}on'],
  ['јson', '\\u{458}son'],
  ['аdmin', '\\u{430}dmin'],
  ['ԁocker', '\\u{501}ocker'],
  ['sһ', 's\\u{4bb}'],
  ['instaӏl', 'insta\\u{4cf}l'],
  ['ԛemu', '\\u{51b}emu'],
  ['ԝget', '\\u{51d}get'],
  ['ѵim', '\\u{475}im'],
  ['АWS', '\\u{410}WS'],
  ['ТMP', '\\u{422}MP'],
  ['НOME', '\\u{41d}OME'],
  ['gοοgle', 'g\\u{3bf}\\u{3bf}gle'],
  ['αpache', '\\u{3b1}pache'],
  ['serνer', 'ser\\u{3bd}er'],
  ['ρip', '\\u{3c1}ip'],
  ['Αpple', '\\u{391}pple'],
  ['ΡATH', '\\u{3a1}ATH'],
  ['օpenssl', '\\u{585}penssl'],
  ['սser', '\\u{57d}ser'],
  ['bасkup', 'b\\u{430}\\u{441}kup'],
  ['hаsOwn', 'h\\u{430}sOwn'],
  ['lоcalhost:8080', 'l\\u{43e}calhost:8080'],
  ['--forcе', '--forc\\u{435}'],
  ['API_KЕY=1', 'API_K\\u{415}Y=1'],
  // The same letter in another dress
  ['ｇoogle.com', '\\u{ff47}oogle.com'],
  ['rｍ', 'r\\u{ff4d}'],
  ['𝗋m -rf', '\\u{1d5cb}m -rf'],
  ['𝐫𝐦 -rf', '\\u{1d42b}\\u{1d426} -rf'],
  ['𝚜𝚑', '\\u{1d69c}\\u{1d691}'],
  ['ℓs', '\\u{2113}s'],
  ['ﬁnd', '\\u{fb01}nd'],
  ['\u212Aill', '\\u{212a}ill'],
  ['ⅼs', '\\u{217c}s'],
  ['ſudo', '\\u{17f}udo'],
  ['ɡit', '\\u{261}it'],
  ['bɑsh', 'b\\u{251}sh'],
  ['nᴏde', 'n\\u{1d0f}de'],
  ['gɪt', 'g\\u{26a}t'],
  ['ꓡs', '\\u{a4e1}s'],
  ['Ꭺws', '\\u{13aa}ws'],
  ['ⲟpenssl', '\\u{2c9f}penssl'],
  // A whole word of a path or an address
  ['./сору.sh', './\\u{441}\\u{43e}\\u{440}\\u{443}.sh'],
  ['https://аррӏе.com/login', 'https://\\u{430}\\u{440}\\u{440}\\u{4cf}\\u{435}.com/login'],
  ['https://оса.рса', 'https://\\u{43e}\\u{441}\\u{430}.\\u{440}\\u{441}\\u{430}'],
  ['bin/ѕсаре', 'bin/\\u{455}\\u{441}\\u{430}\\u{440}\\u{435}'],
  ['user@раура1.com', 'user@\\u{440}\\u{430}\\u{443}\\u{440}\\u{430}1.com'],
  // Strokes and dots
  ['google.com∕evil.org', 'google.com\\u{2215}evil.org'],
  ['example․com', 'example\\u{2024}com'],
  ['etc⁄passwd', 'etc\\u{2044}passwd'],
  ['http∶//x', 'http∶//x'],
  ['a／b', 'a\\u{ff0f}b'],
  // What cannot be seen at all
  ['rm\u00A0-rf', 'rm\\u{a0}-rf'],
  ['rm\u2003-rf', 'rm\\u{2003}-rf'],
  ['rm\u3000-rf', 'rm\\u{3000}-rf'],
  ['a\u202Fb\u205Fc\u1680d', 'a\\u{202f}b\\u{205f}c\\u{1680}d'],
  ['x\u2800y', 'x\\u{2800}y'],
  ['x\u3164y\u115F\u1160\uFFA0', 'x\\u{3164}y\\u{115f}\\u{1160}\\u{ffa0}'],
  ['pass\u00ADword', 'pass\\u{ad}word'],
  ['a\u200B\u200C\u200D\u2060\uFEFFb', 'a\\u{200b}\\u{200c}\\u{200d}\\u{2060}\\u{feff}b'],
  ['\u202Egpj.exe\u202C', '\\u{202e}gpj.exe\\u{202c}'],
  ['\u2066a\u2069\u200E\u200F\u061C', '\\u{2066}a\\u{2069}\\u{200e}\\u{200f}\\u{61c}'],
  ['x\uFE0Fy\uFE00z', 'x\\u{fe0f}y\\u{fe00}z'],
  ['1\uFE0F', '1\\u{fe0f}'],
  ['x\u{E0100}', 'x\\u{e0100}'],
  ['🏴\u{E0072}\u{E006D}\u{E007F}', '🏴\\u{e0072}\\u{e006d}\\u{e007f}'],
  ['a\u034Fb\u180Ec', 'a\\u{34f}b\\u{180e}c'],
  ['a\u0000b\u007Fc\u0085d', 'a\\u{0}b\\u{7f}c\\u{85}d'],
  ['\u{1D173}x\u{1D159}', '\\u{1d173}x\\u{1d159}'],
  ['a\uFFF9b\uFFFC', 'a\\u{fff9}b\\u{fffc}'],
  ['\uE000', '\\u{e000}'],
  ['z\u0334\u0335\u0336\u0337\u0338\u0301', 'z\u0334\u0335\u0336\u0337\\u{338}\\u{301}'],
]

test('there are enough of them', () => {
  expect(spellings.length).toBeGreaterThanOrEqual(75)
})

test.each(spellings)('%s is shown as %s', (written, shown) => {
  expect(visibleText(written)).toBe(shown)
  // Looked at again, as what a hook gave back is, it stays.
  expect(visibleText(shown)).toBe(shown)
})

test.each([
  [
    'Russian',
    'Привет! Агент прочитал файл отчёт.txt и отправил его через VPN-сервер; А/В-тест, 3D-модель, «оса», PDFка и/или API.',
  ],
  ['Ukrainian', 'Їжак зберіг файл у ./тека/звіт.md, це об’єкт № 5.'],
  ['Bulgarian', 'Съобщението е спряно от правилото guard.sh, виж дневника.'],
  ['Greek', 'Το API μου απάντησε: «όλα καλά», δες το αρχείο.txt και/ή το log.'],
  ['Chinese', '　　你好，代理读取了文件“报告.txt”，API返回：成功。　完毕／结束。'],
  ['Japanese', 'エージェントが「レポート.txt」を読みました。Tシャツ、ＡＢＣ会社、データ／結果。'],
  ['Korean', '에이전트가 보고서.txt 파일을 읽었습니다. API 호출은 3번입니다.'],
  ['Arabic', 'مرحبا، قرأ الوكيل الملف report.txt ثم أرسله عبر الـAPI؟'],
  ['Persian', 'می‌خواهم این پرونده‌ها را ببینم'],
  ['Hebrew', 'שלום, הסוכן קרא את הקובץ report.txt ושלח אותו. סוף'],
  ['Hindi', 'नमस्ते, एजेंट ने फ़ाइल पढ़ी। क्‍ष और श्‍र'],
  ['Tamil', 'வணக்கம், முகவர் கோப்பைப் படித்தார்.'],
  ['Thai', 'สวัสดี ตัวแทนอ่านไฟล์ report.txt แล้ว ที่นี่'],
  ['Turkish', 'Kapı açık, ışık yanıyor; İstanbul’da dosya.txt okundu.'],
  ['Vietnamese', 'Xin chào, tác tử đã đọc tệp báo_cáo.txt và gửi đi.'],
  ['Polish', 'Zażółć gęślą jaźń, plik ./łąka/żółw.txt przeczytany.'],
  ['French', 'L’œuvre a coûté 5 €, « déjà vu » à Noël ; voir ./été/naïve.txt.'],
  ['German', 'Größe: 5 µm, Straße/Weg, z.B. § 3; Äpfel & Öl.'],
  ['Spanish', '¿Qué pasó? La 1ª y el 2º agente leyeron año.txt; Mª lo vio.'],
  ['Armenian', 'Բարեւ, գործակալը կարդաց ֆայլը։'],
  ['Georgian', 'გამარჯობა, აგენტმა წაიკითხა ფაილი.'],
  ['emoji', '👩‍💻 ✅ ⚠️ 👨‍👩‍👧‍👦 🏳️‍🌈 🇨🇳 1️⃣ ❤︎ ☎️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👍🏽'],
  ['mathematics', 'E = mc², H₂O, x ≥ 10 ± 2, ∑ αβγ, 3½, 20 °C'],
  ['code', 'if (a && b) { return `x${y}` } // → ok … “quotes” – dash'],
])('honest %s stays as it is', (_, text) => {
  expect(visibleText(text)).toBe(text)
})

test('any text costs a time that grows with its length', () => {
  const tookMs = measureProcessor()
  for (const unit of [
    'а',
    'aа',
    'a.',
    'а/',
    '\u0301',
    '\u200C',
    'ا\u200C',
    '👨\u200D',
    '․',
    'a․',
    '𝐫',
    '\u3000',
    '\u{E0068}',
    'é',
  ]) {
    showLookAlikes(unit.repeat(20_000))
    visibleText(unit.repeat(20_000))
    visibleText(unit.repeat(1_000_000))
  }
  expect(tookMs()).toBeLessThan(stretched(5000))
})
