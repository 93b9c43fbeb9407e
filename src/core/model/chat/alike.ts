/** Letters that look like ASCII letters, row by row with those. Source: Unicode's confusables.txt. */
const mapOf = (...rows: readonly (readonly [string, string])[]): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(([from, to]) => Array.from(from, (letter, at) => [letter, to.charAt(at)] as const)))

/** Letters of other scripts that look the same. */
export const twins = mapOf(
  // Cyrillic
  ['асԁеһіѕјӏорԛгхуүѵԝѡь', 'acdehisjlopqrxyyvwwb'],
  ['АВЕНІЈКМОРЅСТУХҮԌԜԚѴӀЬ', 'ABEHIJKMOPSCTYXYGWQVIb'],
  // Greek
  ['αγινορσυϲϳϱ', 'ayivopoucjp'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿϒϜ', 'ABEZHIKMNOPTYXCJYF'],
  // Armenian, Hebrew, Arabic, Georgian
  ['հյօցոսզռՕՍԼՏ', 'hjognuqnOULS'],
  ['וןסاهەყჿ', 'llolooyo'],
  // Latin: phonetic letters, which no orthography mixes with plain ones
  ['ɑɡɩɪɴʀʏʟʙɢʜſƅʋᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜱ', 'agiinrylbghsbvacdejkmoptuvwzs'],
)

/** Twins, and small letters that look nearly the same. */
export const alike: ReadonlyMap<string, string> = new Map([
  ...mapOf(['квмнт', 'kbmht'], ['βεηκμτχω', 'benkutxw'], ['ıłøßæđ', 'ilosad']),
  ...twins,
])
