import type { Aim, Hit } from './grammar.ts'
import { plainly } from './letters.ts'

interface Sign {
  readonly aim: Aim
  readonly weight: number
  readonly pattern: RegExp
}

const roleWords = plainly(
  'system|systeme|sistema|система|系统|系統|システム|시스템|assistant|developer|administrator|admin|ai',
)
/** What speaks as the system or in a model's own form, and what would carry data away. */
const signs: readonly Sign[] = [
  {
    aim: 'pose',
    weight: 1,
    pattern:
      /<\|(?:im_start|start_header_id)\|>\s{0,3}system|<\|system\|>|\[INST\]\s{0,3}<<SYS>>|<\/(?:tool_results?|function_results?|tool_output|document|context|data)>\s{0,5}(?:<system|\[?system\]?:)/gi,
  },
  {
    aim: 'pose',
    weight: 0.7,
    pattern:
      /<\|(?:im_start|im_end|user|assistant|endoftext|eot_id|start_header_id|end_of_turn)\|>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>/g,
  },
  {
    aim: 'pose',
    weight: 0.8,
    pattern:
      /\b(?:SYSTEM|ADMIN|SECURITY|POLICY|INSTRUCTION|PRIORITY|EMERGENCY|DEVELOPER)[ _-](?:OVERRIDE|ALERT|NOTICE)\b/g,
  },
  {
    aim: 'pose',
    weight: 0.6,
    pattern:
      /\b(?:BEGIN|END|START)(?: OF)? (?:SYSTEM|USER|TOOL|DOCUMENT|CONTEXT|DATA)(?: [A-Z]+)? ?(?:PROMPT|MESSAGE|INPUT|INSTRUCTIONS?|OUTPUT|RESULTS?)\b/g,
  },
  {
    aim: 'pose',
    weight: 0.4,
    pattern: /"role"\s?:\s?"system"/g,
  },
  {
    aim: 'pose',
    weight: 0.4,
    pattern: new RegExp(
      `(?:^|[\\]>.]|--)[ \\t>*#_(<["[]{0,8}(?:${roleWords})(?: (?:prompt|message|override|notice|update|instructions?|note|agents?))?[\\])>*_ ]{0,4}[:：](?!:)|^\\W{0,3}\\[(?:system|admin|developer)\\]|<\\/?(?:system|instructions?|important|tool_results?|function_results?|tool_output|admin)>`,
      'gim',
    ),
  },
  {
    aim: 'task',
    weight: 0.6,
    pattern:
      /\b(?:new|next|real|actual|updated|neue|nouvelle|nueva) (?:task|instructions?|assignment|objective|orders?|aufgabe|anweisung(?:en)?|tâche|instrucciones|tarea)\s?:|\b(?:note|attention|message|instructions?|important|notice)\b (?:to|for) (?:all |any |the |every )?(?:ai|llm|language model|assistant|agent|chatbot|gpt|claude|gemini|copilot|bot)s?\b|\battention,? (?:all )?(?:ai|llm|language model|assistant|agent|chatbot)s?\b|\bif you(?: are|'re) an? (?:ai|llm|language model|agent|bot|assistant)\b/gi,
  },
  {
    aim: 'tools',
    weight: 0.4,
    pattern: /\b(?:curl|wget|iwr)\b[^\n|]{1,200}\|\s{0,3}(?:sudo )?(?:ba|z|da)?sh\b/g,
  },
  {
    aim: 'send',
    weight: 0.4,
    pattern:
      /\b(?:send|forward|e?mail|post|upload|pass|transfer|sende|schicke|envoye[rz]|env[ií](?:a|e|ar)|invia)\b[^\n.!?@]{0,80}@[\w-]{1,64}\.[a-z]{2}/gi,
  },
  {
    // The address of a picture is fetched by itself, with all that stands in it.
    aim: 'send',
    weight: 0.7,
    pattern:
      /!\[[^\]\n]{0,200}\]\(\s{0,5}https?:[^\s)]{1,120}?(?:[?&][^\s)=]{1,40}=[^\s)]{0,120}?(?:\[|<|\{|\$\(|secret|canary|passw|credential|conversation|history|prompt|api_?key|base64|leak|steal|stolen)|\/(?:\[[\w -]{1,40}\]|\{[\w -]{1,40}\}|<[\w -]{1,40}>))|<img[^>\n]{1,300}?src=.{0,2}https?:[^\s>]{1,120}?[?&][^\s>=]{1,40}=[^\s>]{0,120}?(?:\[|\{|\$\(|secret|canary|passw|credential|conversation|history|prompt)/gi,
  },
  {
    aim: 'task',
    weight: 0.3,
    pattern:
      /\b(?:load|render|include|show|display|append|insert|add|output|embed|fetch|open|then|with|charge[rz]|lade|carg(?:a|ue)|carica)\b[^\n!<]{0,60}(?=!\[|<img)/gi,
  },
]

export const signsIn = (text: string): readonly Hit[] =>
  signs.flatMap(({ aim, weight, pattern }) =>
    Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
      aim,
      weight,
      start: index,
      end: index + found.length,
    })),
  )

/**
 * Characters that nobody sees and that can hold a text: tags, long runs of variation selectors and of
 * characters without width, and overrides of the direction. A flag is made of tags, and an emoji has a
 * selector. Every run is bounded, because the text is hostile.
 */
const unseen = new RegExp(
  [
    '\\u{1F3F4}[\\u{E0020}-\\u{E007E}]{1,10}\\u{E007F}',
    '[\\u{E0000}-\\u{E007F}]{1,9999}',
    '[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]{5,9999}',
    '[\\u200B-\\u200F\\u2060-\\u2064\\uFEFF\\u180E\\u3164]{6,9999}',
    '[\\u202D\\u202E]{1,9999}',
  ].join('|'),
  'gu',
)

/** The text without them. Undefined: it has none. */
export const withoutUnseen = (text: string): string | undefined => {
  const seen = text.replaceAll(unseen, (run) => (run.startsWith('\u{1F3F4}') ? run : ''))
  return seen === text ? undefined : seen
}
