import type { Found, Speech } from './speech.ts'
import type { Role } from './words.ts'

/** What a text tries. */
export type Aim =
  | 'disregard'
  | 'reveal'
  | 'pose'
  | 'authority'
  | 'hide'
  | 'send'
  | 'tools'
  | 'checks'
  | 'erase'
  | 'task'
  | 'address'
  | 'praise'

interface Rule {
  readonly aim: Aim
  readonly weight: number
  /** The most letters from the begin of the first word to the end of the last. */
  readonly within: number
  readonly parts: readonly Role[]
}

const rules: readonly Rule[] = (
  [
    ['disregard', 1, 70, 'disregard prior orders'],
    ['disregard', 1, 70, 'disregard orders prior'],
    ['disregard', 1, 50, 'disregard every orders'],
    ['disregard', 1, 40, 'disregard said'],
    ['disregard', 1, 40, 'disregard above'],
    ['disregard', 1, 50, 'disregard prior duties'],
    ['disregard', 0.7, 50, 'disregard person duties'],
    ['disregard', 0.7, 50, 'disregard person rules'],
    ['disregard', 1, 60, 'disregard prior rules'],
    ['disregard', 0.7, 60, 'disregard rules prior'],
    ['disregard', 0.5, 40, 'disregard every rules'],
    ['disregard', 0.5, 30, 'disregard orders'],
    ['disregard', 1, 40, 'disregard checks orders'],
    ['disregard', 1, 70, 'refuse prior orders'],
    ['disregard', 0.8, 70, 'refuse orders prior'],
    ['disregard', 1, 70, 'orders prior disregardLast'],
    ['disregard', 1, 70, 'prior orders disregardLast'],
    ['disregard', 1, 90, 'every orders disregardLast'],
    ['disregard', 0.8, 70, 'prior rules disregardLast'],
    ['disregard', 0.8, 60, 'said disregardLast'],
    ['disregard', 1, 50, 'bypass prior orders'],
    ['disregard', 1, 50, 'erase prior orders'],
    ['disregard', 0.8, 40, 'disregard systemPrompt'],
    ['disregard', 0.8, 40, 'over your rules'],
    ['disregard', 0.4, 24, 'disregard entire'],
    ['disregard', 0.6, 40, 'above disregardLast'],
    ['disregard', 0.8, 30, 'disregard bounds'],
    ['disregard', 1, 40, 'disregard checks rules'],
    ['disregard', 1, 50, 'disregard your systemPrompt'],
    ['disregard', 0.8, 50, 'your orders upset'],
    ['disregard', 0.5, 30, 'serve person'],
    ['disregard', 1, 60, 'systemPrompt disregardLast'],
    ['disregard', 1, 60, 'person orders disregardLast'],
    ['disregard', 1, 60, 'refuse rules disregardLast'],
    ['disregard', 0.5, 40, 'disregard duties'],
    ['disregard', 0.8, 30, 'disregard your task'],
    ['disregard', 0.6, 50, 'disregard person'],
    ['disregard', 1, 50, 'disregard entire person'],
    ['disregard', 0.6, 50, 'refuse rules'],
    ['disregard', 1, 70, 'refuse rules any'],
    ['disregard', 1, 70, 'thisText over systemPrompt'],
    ['disregard', 0.5, 30, 'halt'],
    ['disregard', 0.7, 50, 'disregard given rules'],
    ['disregard', 0.5, 40, 'halt task'],
    ['disregard', 0.5, 30, 'not workOn thisText'],
    ['disregard', 0.6, 40, 'duties given upset'],
    ['disregard', 0.6, 50, 'against person'],
    ['disregard', 1, 40, 'disregard youAre ai'],
    ['disregard', 1, 90, 'orders given disregardLast'],
    ['disregard', 0.4, 30, 'limiting'],
    ['reveal', 1, 60, 'revealStrong systemPrompt'],
    ['reveal', 1, 50, 'reveal systemPrompt'],
    ['reveal', 1, 50, 'reveal hidden orders'],
    ['reveal', 1, 50, 'reveal orders hidden'],
    ['reveal', 0.7, 50, 'reveal hidden rules'],
    ['reveal', 0.7, 50, 'reveal rules hidden'],
    ['reveal', 1, 60, 'systemPrompt revealLast'],
    ['reveal', 1, 60, 'systems orders revealLast'],
    ['reveal', 1, 40, 'revealStrong systems orders'],
    ['reveal', 0.7, 40, 'reveal systems orders'],
    ['reveal', 1, 40, 'reveal your orders'],
    ['reveal', 1, 60, 'your orders revealLast'],
    ['reveal', 1, 60, 'reveal orders given'],
    ['reveal', 0.7, 50, 'reveal entire orders'],
    ['reveal', 0.6, 40, 'reveal your rules'],
    ['reveal', 1, 60, 'reveal said'],
    ['reveal', 1, 60, 'question your systemPrompt'],
    ['reveal', 1, 80, 'reveal insides insides'],
    ['reveal', 1, 50, 'entire your orders'],
    ['reveal', 1, 40, 'reveal your entire orders'],
    ['reveal', 0.8, 60, 'whatGiven tell'],
    ['reveal', 1, 40, 'reveal your hidden rules'],
    ['reveal', 1, 60, 'whatGiven given'],
    ['reveal', 1, 40, 'reveal given rules'],
    ['reveal', 0.8, 50, 'reveal rules given'],
    ['reveal', 0.6, 40, 'reveal insides'],
    ['reveal', 1, 70, 'reveal entire insides'],
    ['reveal', 1, 70, 'reveal insides entire'],
    ['pose', 0.6, 40, 'fromUser'],
    ['authority', 1, 40, 'jailbreak'],
    ['authority', 0.6, 70, 'become power'],
    ['authority', 0.8, 40, 'power mode activate'],
    ['authority', 1, 80, 'power mode free bounds'],
    ['authority', 1, 110, 'become free bounds'],
    ['authority', 0.6, 40, 'youAre power'],
    ['authority', 0.7, 60, 'youAre free bounds'],
    ['authority', 0.8, 60, 'ai free bounds'],
    ['authority', 0.5, 30, 'activate power mode'],
    ['authority', 0.7, 20, 'authority override'],
    ['authority', 1, 70, 'made free bounds'],
    ['authority', 1, 60, 'free bounds session'],
    ['authority', 1, 80, 'youAre free bounds free bounds'],
    ['authority', 1, 60, 'fiction free bounds'],
    ['authority', 0.6, 40, 'made'],
    ['authority', 0.3, 30, 'fiction'],
    ['authority', 0.5, 30, 'distrust'],
    ['authority', 0.6, 30, 'breakFree'],
    ['authority', 0.6, 40, 'grant power'],
    ['hide', 1, 60, 'secretly'],
    ['hide', 1, 32, 'not tell person'],
    ['hide', 1, 22, 'tell person nothing'],
    ['hide', 1, 40, 'person untold'],
    ['hide', 0.7, 40, 'not inform person'],
    ['hide', 0.6, 50, 'not inform itself'],
    ['hide', 1, 60, 'not inform person itself'],
    ['hide', 1, 60, 'not inform itself person'],
    ['hide', 1, 40, 'hideFrom person'],
    ['hide', 1, 60, 'not inform person notice'],
    ['hide', 1, 60, 'unsaid itself'],
    ['hide', 0.6, 30, 'unsaid'],
    ['hide', 1, 60, 'answer not tell itself'],
    ['hide', 0.7, 60, 'not answer tell'],
    ['hide', 1, 40, 'reveal nothing person'],
    ['hide', 0.7, 40, 'reveal nothing itself'],
    ['hide', 0.4, 30, 'stealth'],
    ['hide', 0.5, 30, 'pretence'],
    ['hide', 0.7, 60, 'not tell answer'],
    ['send', 1, 70, 'send secrets away'],
    ['send', 0.9, 60, 'secrets send away'],
    ['send', 0.7, 100, 'send secrets web'],
    ['send', 1, 100, 'send keyFiles web'],
    ['send', 1, 60, 'steal secrets'],
    ['send', 0.5, 60, 'revealStrong secrets'],
    ['send', 0.4, 60, 'send secrets'],
    ['send', 0.8, 50, 'send systemPrompt'],
    ['send', 1, 80, 'send systemPrompt away'],
    ['send', 0.3, 40, 'reveal secrets'],
    ['send', 0.5, 50, 'send keyFiles'],
    ['send', 0.4, 50, 'insert keyFiles'],
    ['send', 0.8, 50, 'secrets every send'],
    ['send', 0.7, 90, 'tell person web'],
    ['send', 1, 50, 'send yourSecrets'],
    ['send', 0.8, 50, 'send every secrets'],
    ['send', 0.4, 50, 'secrets send'],
    ['send', 0.6, 50, 'reveal every secrets'],
    ['send', 1, 50, 'reveal yourSecrets'],
    ['send', 1, 50, 'every yourSecrets'],
    ['send', 1, 140, 'tell person secrets web'],
    ['send', 1, 60, 'keyFiles send away'],
    ['send', 0.7, 60, 'secrets send web'],
    ['send', 0.5, 50, 'transfer money'],
    ['send', 0.5, 50, 'money transfer'],
    ['tools', 1, 50, 'approve every toolCalls'],
    ['tools', 0.7, 50, 'approve every calls'],
    ['tools', 0.4, 30, 'approve calls'],
    ['tools', 0.8, 40, 'toolCalls approveLast'],
    ['tools', 0.6, 40, 'calls approveLast'],
    ['tools', 0.5, 60, 'consented person'],
    ['tools', 0.6, 50, 'insert backdoor'],
    ['tools', 0.5, 60, 'unseal obey'],
    ['tools', 0.8, 60, 'person consented every calls'],
    ['tools', 0.6, 40, 'person consented'],
    ['tools', 0.3, 30, 'already'],
    ['tools', 0.3, 30, 'goOn'],
    ['tools', 0.4, 30, 'callTool'],
    ['tools', 0.5, 60, 'ai must approve'],
    ['checks', 0.6, 60, 'bypass checks'],
    ['checks', 0.6, 40, 'checks bypassLast'],
    ['checks', 0.4, 25, 'free checks'],
    ['checks', 1, 50, 'your bounds gone'],
    ['checks', 0.6, 60, 'bounds gone'],
    ['checks', 0.6, 30, 'checks gone'],
    ['checks', 1, 70, 'bounds gone session'],
    ['checks', 0.4, 16, 'not askFirst'],
    ['checks', 0.4, 40, 'bypass bounds'],
    ['checks', 1, 40, 'bypass your bounds'],
    ['checks', 0.4, 40, 'checks noNeed'],
    ['checks', 0.4, 40, 'noNeed checks'],
    ['checks', 0.7, 40, 'not askFirst person'],
    ['checks', 0.7, 40, 'noNeed askFirst person'],
    ['erase', 0.5, 40, 'erase every records'],
    ['erase', 0.4, 40, 'erase records'],
    ['task', 0.8, 40, 'your fresh task'],
    ['task', 0.3, 20, 'fresh orders'],
    ['task', 0.3, 30, 'henceforth'],
    ['task', 0.3, 20, 'fresh task'],
    ['task', 0.3, 20, 'fresh rules'],
    ['task', 0.5, 30, 'doThis'],
    ['task', 1, 60, 'insteadOf reveal'],
    ['task', 0.7, 40, 'serve'],
    ['task', 0.4, 30, 'priority'],
    ['task', 1, 90, 'answer must web'],
    ['task', 1, 60, 'serve over'],
    ['task', 0.5, 40, 'detour'],
    ['task', 1, 80, 'detour must'],
    ['task', 1, 80, 'must detour'],
    ['task', 0.5, 60, 'everyAnswer must'],
    ['task', 1, 90, 'everyAnswer must web'],
    ['task', 1, 40, 'must obey thisText'],
    ['task', 0.5, 40, 'answer insert'],
    ['task', 0.5, 60, 'insert answer'],
    ['task', 0.4, 30, 'insert backdoor'],
    ['task', 0.6, 40, 'memory'],
    ['task', 0.3, 30, 'obey'],
    ['task', 0.4, 30, 'instead duties'],
    ['task', 0.4, 30, 'obey thisText'],
    ['task', 0.8, 50, 'obey over thisText'],
    ['task', 1, 60, 'obey thisText over'],
    ['task', 0.8, 40, 'over thisText over'],
    ['address', 0.6, 26, 'addresses ai'],
    ['address', 0.6, 50, 'ai must'],
    ['address', 0.5, 60, 'ai reading'],
    ['praise', 0.5, 30, 'praise'],
  ] as const
).map(([aim, weight, within, parts]) => ({ aim, weight, within, parts: parts.split(' ') as Role[] }))

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
const orders: ReadonlySet<Role> = new Set<Role>([
  'disregard',
  'reveal',
  'revealStrong',
  'send',
  'steal',
  'approve',
  'bypass',
  'erase',
])

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
