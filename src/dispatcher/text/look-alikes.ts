/** Letters of other scripts that pass for ASCII letters, as Unicode's confusables.txt has them. */
const twins = [
  // Cyrillic
  'асԁеһіѕјӏорԛгхуүѵԝѡьАВЕНІЈКМОРЅСТУХҮԌԜԚѴӀЬ',
  // Greek
  'αγινορσυϲϳϱΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿϒϜ',
  // Armenian, Hebrew, Arabic, Georgian
  'հյօցոսզռՕՍԼՏוןסاهەყჿ',
  // Latin: letters of phonetics, which no orthography mixes with plain ones
  'ɑɡɩɪɴʀʏʟʙɢʜſƅʋᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜱ',
].join('')
/** Scripts many of whose letters pass for ASCII, and that nobody mixes with it in one word. */
const twinScripts =
  /[\p{sc=Cherokee}\p{sc=Lisu}\p{sc=Coptic}\p{sc=Gothic}\p{sc=Deseret}\p{sc=Old_Italic}\p{sc=Canadian_Aboriginal}\p{sc=Osage}\p{sc=Tifinagh}\p{sc=Lycian}\p{sc=Carian}\p{sc=Lydian}\p{sc=Elbasan}\p{sc=Miao}\p{sc=Warang_Citi}]/u

/** Full-width, mathematical and letter-like forms are ASCII letters or digits in another dress; a raised one (ª, ²) is none. */
const isDressed = (char: string): boolean =>
  /^(?![ªº])[\p{Lu}\p{Ll}\p{Lo}\p{Nl}\p{Nd}]$/u.test(char) && /^[A-Za-z0-9]+$/.test(char.normalize('NFKC'))

const isTwin = (char: string): boolean =>
  char > '\u007F' && (twins.includes(char) || twinScripts.test(char) || isDressed(char))
/** Honest in a word with ASCII letters: what such a word also holds says that it is of another script. */
const isPlainlyForeign = (char: string): boolean => /^(?!\p{sc=Latin})\p{L}$/u.test(char) && !isTwin(char)

export const codePoint = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

const asciiLetter = /[A-Za-z]/
/** A path, an address, a host, an option with a value: of letters that are read one by one. */
const technical = /[/\\@=~$]|[\p{L}\p{N}][.:][\p{L}\p{N}]/u
const startsAsPath = /^(?:\.{0,2}|~)\/|:\/\//
/** Strokes and dots that pass for those of a path or a host, where they stand behind or before an ASCII letter. */
const punctuation = /(?<=[A-Za-z])[∕⁄⧸⟋╱／․．։∶꞉](?=[A-Za-z0-9])|(?<=[0-9])[∕⁄⧸⟋╱／․．։∶꞉](?=[A-Za-z])/gu

const inToken = (token: string): string => {
  const isTechnical = technical.test(token)
  const isSuspect = isTechnical && (asciiLetter.test(token) || startsAsPath.test(token))
  return token
    .replace(/[\p{L}\p{M}\p{N}_]+/gu, (word) => {
      const chars = Array.from(word)
      // Within a path or an address a word may pass for ASCII as a whole, and one in mathematical letters does anywhere.
      if (!asciiLetter.test(word) && !isSuspect && !/[\u{1D400}-\u{1D7FF}]/u.test(word)) return word
      if (chars.some(isPlainlyForeign)) return word
      return chars.map((char) => (isTwin(char) ? codePoint(char) : char)).join('')
    })
    .replace(punctuation, codePoint)
}

/** Makes visible what passes for an ASCII letter among ASCII letters, and leaves words of other scripts as they are. */
export const showLookAlikes = (text: string): string =>
  /[^\0-\x7F]/.test(text) ? text.replace(/\S+/gu, inToken) : text
