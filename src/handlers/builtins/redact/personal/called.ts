const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/**
 * Words that say what a number is, in the languages of the most people who write to agents, without accents:
 * a text is folded before it is read.
 */
const labels = setOf(
  `tel tels telephone telephones phone phones phonenumber mobile mobiles cell cellphone smartphone fax sms whatsapp
  viber hotline landline telefon telefonnummer telefonisch telefax handy handynummer mobil mobilnummer rufnummer portable
  movil celular telefono cellulare telefone telemovel telefoon telefoonnummer mobiel телефон тел моб мобильный факс
  هاتف الهاتف موبايل جوال تلفن موبایل फोन मोबाइल ফোন মোবাইল`,
)
const verbs = setOf(
  `call calls called calling ring text texted dial dialled reach reached anrufen rufen ruf llama llamame llamar appelez
  appeler chiama chiamare звоните позвоните answer answered answering`,
)
const near = setOf('message messages contact registered number numbers')
const places = setOf('desk office home work direct main business private switchboard buro privat')
const others = setOf(
  `order orders invoice invoices ticket tickets case ref reference id ids sku isbn issn ean upc serial part model
  tracking shipment outgoing account acct passport policy license licence ssn vin imei build commit version port pid uid
  zip row rows bytes size page line chat`,
)
const owners = setOf('my your his her our their')
/** What may stand between such a word and the number. */
const fillers = setOf('number numbers nummer no nr num code is was the a of for my your his her our their')
/** What stands between a verb and the number. */
const links = setOf(
  `at on to via under is me us him her them registered call calls called calling ring text dial unter sie mich al au
  moi по на`,
)

const lookBackUnits = 64
const maxWords = 7
const labelsBehind = /^[ -]{0,2}\(?(\p{L}+)\s*(?:$|[\n,;.)\\])/u
const marks = /(?:^|\[redacted: )[a-z ]*\]/g
/** Chinese, Japanese and Korean have no space between words. */
const joined = /电话|手机|電話|手機|携帯|전화|휴대폰/

/** The words before a number, the nearest first, back to the end of a sentence or a line, or to a digit. */
const wordsBefore = (text: string, start: number): readonly string[] => {
  // The words of a mark of ours say nothing about what follows it.
  const said = text.slice(Math.max(0, start - lookBackUnits), start).replaceAll(marks, ';')
  // A label can stand on the line before.
  const here = said.replace(/\n[ \t]*$/, '')
  const line = here.slice(here.lastIndexOf('\n') + 1)
  // The point of `Tel.` ends no sentence.
  const clause = line.split(/[\d!;。！；]|\.(?!(?: ?(?:no|nr)\.)?[^\p{L}]*$)/iu).at(-1) ?? ''
  return (clause.match(/[\p{L}\p{M}]+/gu) ?? [])
    .slice(-maxWords)
    .reverse()
    .flatMap((word) => [word, ...(/\p{Ll}\p{Lu}/u.test(word) ? word.split(/(?=\p{Lu})/u) : [])])
    .map((word) => word.toLowerCase())
}

/**
 * What the words around a number call it: `label` and `label behind`, a phone; `verb`, what somebody calls;
 * `near`, what a message goes to; `other`, something else.
 */
export const calledPhone = (
  text: string,
  start: number,
  end: number,
): 'label' | 'label behind' | 'verb' | 'near' | 'other' | undefined => {
  const words = wordsBefore(text, start)
  const has = (set: ReadonlySet<string>): boolean => words.some((word) => set.has(word))
  const named = words.find((word) => !fillers.has(word)) ?? ''
  if (others.has(named)) return 'other'
  const [, behind = ''] = labelsBehind.exec(text.slice(end, end + 24)) ?? []
  if (labels.has(behind.toLowerCase()) || places.has(behind.toLowerCase())) return 'label behind'
  if (has(labels) || words.some((word) => joined.test(word))) return 'label'
  if (places.has(named) && /: {0,2}$/.test(text.slice(Math.max(0, start - 3), start))) return 'label'
  const [last = '', beforeLast = ''] = words
  if (!links.has(last) && !(near.has(last) && owners.has(beforeLast))) return undefined
  return has(verbs) ? 'verb' : has(near) ? 'near' : undefined
}
