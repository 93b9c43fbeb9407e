import type { Found, Speech } from './speech.ts'
import type { Role } from './words.ts'

/**
 * What a text tries, and the rules that say so: `weight/within`, and behind it the parts of each rule that
 * has them, joined by a plus. A rule holds where its parts stand in this order in one sentence, within so
 * many letters from the begin of the first word to the end of the last.
 */
const table = {
  disregard: `
    1/40 disregard+said disregard+above disregard+checks+orders disregard+checks+rules disregard+youAre+ai
    1/50 disregard+every+orders disregard+prior+duties bypass+prior+orders erase+prior+orders
      disregard+your+systemPrompt disregard+entire+person
    1/60 disregard+prior+rules systemPrompt+disregardLast person+orders+disregardLast
      refuse+rules+disregardLast
    1/70 disregard+prior+orders disregard+orders+prior refuse+prior+orders orders+prior+disregardLast
      prior+orders+disregardLast refuse+rules+any thisText+over+systemPrompt
    1/90 every+orders+disregardLast orders+given+disregardLast
    0.8/30 disregard+bounds disregard+your+task
    0.8/40 disregard+systemPrompt over+your+rules
    0.8/50 your+orders+upset
    0.8/60 said+disregardLast
    0.8/70 refuse+orders+prior prior+rules+disregardLast
    0.7/50 disregard+person+duties disregard+person+rules disregard+given+rules
    0.7/60 disregard+rules+prior
    0.6/40 above+disregardLast duties+given+upset
    0.6/50 disregard+person refuse+rules against+person
    0.5/30 disregard+orders serve+person halt not+workOn+thisText
    0.5/40 disregard+every+rules disregard+duties halt+task
    0.4/24 disregard+entire
    0.4/30 limiting`,
  reveal: `
    1/40 revealStrong+systems+orders reveal+your+orders reveal+your+entire+orders reveal+your+hidden+rules
      reveal+given+rules
    1/50 reveal+systemPrompt reveal+hidden+orders reveal+orders+hidden entire+your+orders
    1/60 revealStrong+systemPrompt systemPrompt+revealLast systems+orders+revealLast your+orders+revealLast
      reveal+orders+given reveal+said question+your+systemPrompt whatGiven+given
    1/70 reveal+entire+insides reveal+insides+entire
    1/80 reveal+insides+insides
    0.8/50 reveal+rules+given
    0.8/60 whatGiven+tell
    0.7/40 reveal+systems+orders
    0.7/50 reveal+hidden+rules reveal+rules+hidden reveal+entire+orders
    0.6/40 reveal+your+rules reveal+insides`,
  pose: `
    0.6/40 fromUser`,
  authority: `
    1/40 jailbreak
    1/60 free+bounds+session fiction+free+bounds
    1/70 made+free+bounds
    1/80 power+mode+free+bounds youAre+free+bounds+free+bounds
    1/110 become+free+bounds
    0.8/40 power+mode+activate
    0.8/60 ai+free+bounds
    0.7/20 authority+override
    0.7/60 youAre+free+bounds
    0.6/30 breakFree
    0.6/40 youAre+power made grant+power
    0.6/70 become+power
    0.5/30 activate+power+mode distrust
    0.3/30 fiction`,
  hide: `
    1/22 tell+person+nothing
    1/32 not+tell+person
    1/40 person+untold hideFrom+person reveal+nothing+person
    1/60 secretly not+inform+person+itself not+inform+itself+person not+inform+person+notice unsaid+itself
      answer+not+tell+itself
    0.7/40 not+inform+person reveal+nothing+itself
    0.7/60 not+answer+tell not+tell+answer
    0.6/30 unsaid
    0.6/50 not+inform+itself
    0.5/30 pretence
    0.4/30 stealth`,
  send: `
    1/50 send+yourSecrets reveal+yourSecrets every+yourSecrets
    1/60 steal+secrets keyFiles+send+away
    1/70 send+secrets+away
    1/80 send+systemPrompt+away
    1/100 send+keyFiles+web
    1/140 tell+person+secrets+web
    0.9/60 secrets+send+away
    0.8/50 send+systemPrompt secrets+every+send send+every+secrets
    0.7/60 secrets+send+web
    0.7/90 tell+person+web
    0.7/100 send+secrets+web
    0.6/50 reveal+every+secrets
    0.5/50 send+keyFiles transfer+money money+transfer
    0.5/60 revealStrong+secrets
    0.4/50 insert+keyFiles secrets+send
    0.4/60 send+secrets
    0.3/40 reveal+secrets`,
  tools: `
    1/50 approve+every+toolCalls
    0.8/40 toolCalls+approveLast
    0.8/60 person+consented+every+calls
    0.7/50 approve+every+calls
    0.6/40 calls+approveLast person+consented
    0.6/50 insert+backdoor
    0.5/60 consented+person unseal+obey ai+must+approve
    0.4/30 approve+calls callTool
    0.3/30 already goOn`,
  checks: `
    1/40 bypass+your+bounds
    1/50 your+bounds+gone
    1/70 bounds+gone+session
    0.7/40 not+askFirst+person noNeed+askFirst+person
    0.6/30 checks+gone
    0.6/40 checks+bypassLast
    0.6/60 bypass+checks bounds+gone
    0.4/16 not+askFirst
    0.4/25 free+checks
    0.4/40 bypass+bounds checks+noNeed noNeed+checks`,
  erase: `
    0.5/40 erase+every+records
    0.4/40 erase+records`,
  task: `
    1/40 must+obey+thisText
    1/60 insteadOf+reveal serve+over obey+thisText+over
    1/80 detour+must must+detour
    1/90 answer+must+web everyAnswer+must+web
    0.8/40 your+fresh+task over+thisText+over
    0.8/50 obey+over+thisText
    0.7/40 serve
    0.6/40 memory
    0.5/30 doThis
    0.5/40 detour answer+insert
    0.5/60 everyAnswer+must insert+answer
    0.4/30 priority insert+backdoor instead+duties obey+thisText
    0.3/20 fresh+orders fresh+task fresh+rules
    0.3/30 henceforth obey`,
  address: `
    0.6/26 addresses+ai
    0.6/50 ai+must
    0.5/60 ai+reading`,
  praise: `
    0.5/30 praise`,
} as const

export type Aim = keyof typeof table

interface Rule {
  readonly aim: Aim
  readonly weight: number
  readonly within: number
  readonly parts: readonly Role[]
}

const rules = (Object.entries(table) as [Aim, string][]).flatMap(([aim, rows]): readonly Rule[] => {
  let [weight, within] = [0, 0]
  return rows
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      if (!word.includes('/')) return [{ aim, weight, within, parts: word.split('+') as Role[] }]
      ;[weight = 0, within = 0] = word.split('/').map(Number)
      return []
    })
})

/** A word of a role can be a part of a rule. The parts of all rules have numbers, one after another. */
interface RuleStep extends Omit<Rule, 'parts'> {
  readonly cell: number
  readonly isFirst: boolean
  readonly isLast: boolean
}
const steps = new Map<Role, RuleStep[]>()
let cells = 0
for (const { parts, ...rule } of rules)
  for (const [part, role] of parts.entries()) {
    const step = { ...rule, cell: cells++, isFirst: part === 0, isLast: part === parts.length - 1 }
    steps.set(role, [...(steps.get(role) ?? []), step])
  }

/** A word of these is no order where a report or a refusal stands directly before it. */
const orders: ReadonlySet<string> = new Set(
  'disregard reveal revealStrong send steal approve bypass erase'.split(' '),
)

export interface Hit {
  readonly aim: Aim
  readonly weight: number
  /** Its place in the written text. */
  readonly start: number
  readonly end: number
}

/** True where a word stands directly before another one. */
const isNext = (first: Found | undefined, then: Found): first is Found =>
  first !== undefined && first.sentence === then.sentence && then.start - first.end <= 1

/** True for a word in a report or a refusal. */
const isTold = (words: readonly Found[], index: number, word: Found): boolean => {
  const [before, beforeThat] = [words[index - 1], words[index - 2]]
  if (!isNext(before, word) || !before.roles.includes('told')) return false
  return before.roles.includes('not') || !(isNext(beforeThat, before) && beforeThat.roles.includes('asked'))
}

/** What the words of one voice ask for. */
export const judge = ({ words, letters, isDisguised }: Speech): readonly Hit[] => {
  const hits: Hit[] = []
  /** For each part of a rule: where the rule began, and in which sentence. -1: the part was not met. */
  const [starts, sentences] = [new Int32Array(cells).fill(-1), new Int32Array(cells)]
  const place = (at: number): number => letters.at[at] ?? 0
  for (const [index, word] of words.entries()) {
    const told = !isDisguised && isTold(words, index, word)
    const met: number[] = []
    for (const role of word.roles) {
      if (told && orders.has(role)) continue
      for (const { aim, weight, within, cell, isFirst, isLast } of steps.get(role) ?? []) {
        const start = isFirst ? word.start : (starts[cell - 1] ?? -1)
        if (start < 0 || (!isFirst && sentences[cell - 1] !== word.sentence)) continue
        if (Math.abs(word.end - start) > within) continue
        met.push(cell, start)
        if (!isLast) continue
        const [from, to] = [Math.min(start, word.start), Math.max(word.end, start)]
        hits.push({ aim, weight, start: place(from), end: place(to - 1) + 1 })
      }
    }
    // The same word must not go on with what it has begun, so this is noted last.
    for (let at = 0; at < met.length; at += 2) {
      const cell = met[at] ?? 0
      starts[cell] = met[at + 1] ?? 0
      sentences[cell] = word.sentence
    }
  }
  return hits
}
