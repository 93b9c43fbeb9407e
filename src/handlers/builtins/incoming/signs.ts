import type { Aim, Hit } from './grammar.ts'
import { plainly } from './letters.ts'

/** A sign of several alternatives. They are in plain letters, as the texts are that they read. */
const sign = (aim: Aim, weight: number, flags: string, alternatives: readonly string[]) => ({
  aim,
  weight,
  pattern: new RegExp(alternatives.map(plainly).join('|'), flags),
})

const speakers =
  'system|systeme|sistema|система|系统|系統|システム|시스템|assistant|developer|administrator|admin|ai'
const tags = 'system|instructions?|important|tool_results?|function_results?|tool_output|admin'
const models = [
  '(?:automated system|ai|llm|(?:large )?language model|model|assistant|agent|chatbot|bot|gpt|claude|gemini|copilot)',
  '(?: assistant| agent| reviewer| reader| crawler| system)?s?',
].join('')
/** What an address that carries data away has in it: a place for a value, or the name of a secret. */
const loot = [
  '\\[|<|\\{|\\$\\(|secret|canary|passw|credential|conversation|history|prompt|api_?key|base64',
  'leak|steal|stolen',
].join('|')
/** What nobody mails or uploads on another's word, and where it would go. */
const kept = [
  'passwords?|credentials|secrets|(?:api|private|access) keys?|tokens?|cookies?',
  '(?:chat|conversation) history|environment variables|customer (?:list|data)|system prompt|密码|密钥|私钥',
  '聊天记录|环境变量',
].join('|')
const keyFile =
  '(?:~|\\$HOME|/root|/home/[\\w-]{1,32})/\\.(?:ssh|aws|kube|gnupg|config)\\b|\\.env\\b|\\bid_(?:rsa|ed25519)\\b'
const sent =
  '(?:\\b(?:send|e?mail|forward|upload|post|copy|put|push|share|transmit|submit|deliver|leak)\\b|发送|上传|转发|发到)'
const mailbox = '@[\\w-]{1,64}\\.[a-z]{2}'

const query = `https?:[^\\s)>]{1,120}?[?&][^\\s)>=]{1,40}=[^\\s)>]{0,120}?(?:${loot})`
const placeholder = '(?:\\[[\\w -]{1,40}\\]|\\{[\\w -]{1,40}\\}|<[\\w -]{1,40}>)'

/** What speaks as the system or in a model's own form, and what would carry data away. */
const signs = [
  sign('pose', 1, 'gi', [
    '<\\|(?:im_start|start_header_id)\\|>\\s{0,3}system',
    '<\\|system\\|>',
    '\\[INST\\]\\s{0,3}<<SYS>>',
    '</(?:tool_results?|function_results?|tool_output|document|context|data)>\\s{0,5}(?:<system|\\[?system\\]?:)',
    // What comes in says that it is over, and goes on as somebody else.
    '\\bend of (?:the )?(?:document|text|file|page|input|data|result|output)\\b' +
      '\\W{0,8}\\n\\W{0,8}(?:user|human|system|assistant):',
  ]),
  sign('pose', 0.7, 'g', [
    '<\\|(?:im_start|im_end|user|assistant|endoftext|eot_id|start_header_id|end_of_turn)\\|>',
    '\\[/?INST\\]',
    '<</?SYS>>',
    '<(?:start|end)_of_turn>',
  ]),
  sign('pose', 0.8, 'g', [
    '\\b(?:SYSTEM|ADMIN|SECURITY|POLICY|INSTRUCTION|PRIORITY|EMERGENCY|DEVELOPER)[ _-](?:OVERRIDE|ALERT|NOTICE)\\b',
  ]),
  sign('pose', 0.6, 'g', [
    '\\b(?:BEGIN|END|START)(?: OF)? (?:SYSTEM|USER|TOOL|DOCUMENT|CONTEXT|DATA)(?: [A-Z]+)? ?' +
      '(?:PROMPT|MESSAGE|INPUT|INSTRUCTIONS?|OUTPUT|RESULTS?)\\b',
  ]),
  sign('pose', 0.4, 'g', ['"role"\\s?:\\s?"system"']),
  sign('pose', 0.4, 'gim', [
    `(?:^|[\\]>.]|--)[ \\t>*#_(<["[]{0,8}(?:${speakers})` +
      '(?: (?:prompt|message|override|notice|update|instructions?|note|agents?))?[\\])>*_ ]{0,4}[:：](?!:)',
    '^\\W{0,3}\\[(?:system|admin|developer)(?: (?:message|note|notice|update))?\\]',
    `</?(?:${tags})>`,
  ]),
  sign('task', 0.6, 'gi', [
    '\\b(?:new|next|real|actual|updated|neue|nouvelle|nueva) ' +
      '(?:task|instructions?|assignment|objective|orders?|priority' +
      '|aufgabe|anweisung(?:en)?|tâche|instrucciones|tarea)\\s?:',
    '(?:新的?任务|新的?指令|真正的任务)\\s?[:：]',
  ]),
  sign('address', 0.6, 'gi', [
    `\\b(?:note|attention|message|instructions?|important|notice)\\b (?:to|for) (?:all |any |the |every )?${models}\\b`,
    `\\battention,? (?:all )?${models}\\b`,
    `\\b(?:any|every|whichever|whatever|each) ${models} (?:that|who|which|reading|processing|opening)\\b`,
    '\\bas (?:an?|the) (?:ai|llm|(?:large )?language model|agent)(?: assistant| agent)?,? (?:you|re(?:ad|view)ing)\\b',
    `\\b(?:when|if|once|whenever) (?:an?|the|any) ${models} \\w{3,12} this\\b`,
    '^(?:hey |hi |dear |hello )?(?:copilot|claude|gemini|chatgpt|cursor|codex)[,:]',
    '如果[^。\\n]{0,12}(?:ai|人工智能|大模型|语言模型|智能体|智能助手)',
    `\\bif you(?: are|['’]re) an? (?:automated |autonomous )?${models}\\b`,
    `(?:<!--|/\\*|//|#) {0,3}${models}:`,
    '^\\s{0,3}(?:ai|llm|language model|ai agent|ai assistant)s?:',
    '(?:ai|大模型|智能体|智能助手|人工智能)[^。\\n]{0,6}(?:请注意|注意)',
    '(?:所有|任何|每个)[^。\\n]{0,8}(?:大模型|智能体|智能助手|人工智能)',
  ]),
  sign('tools', 0.5, 'g', ['\\b(?:curl|wget|iwr)\\b[^\\n|]{1,200}\\|\\s{0,3}(?:sudo )?(?:ba|z|da)?sh\\b']),
  sign('tools', 0.4, 'gi', [
    '\\b(?:call|use|invoke|run|execute)(?: the)?(?: tools?| function)? [a-z]{2,20}(?:_[a-z]{2,20}){1,3}\\b',
  ]),
  sign('send', 0.4, 'gi', [
    '(?:\\b(?:send|forward|e?mail|post|upload|pass|transfer|sende|schicke|envoye[rz]|env[ií](?:a|e|ar)|invia)\\b' +
      '|发送|转发|发到|寄到|发给)[^\\n.!?@]{0,80}@[\\w-]{1,64}\\.[a-z]{2}',
  ]),
  sign('send', 1, 'gi', [
    `(?:${kept}|${keyFile})[^\\n.!?]{0,60}${sent}[^\\n!?]{0,40}${mailbox}`,
    `${sent}[^\\n!?]{0,40}(?:${kept}|${keyFile})[^\\n!?]{0,40}${mailbox}`,
    `(?:${keyFile})[^\\n!?]{0,60}${sent}[^\\n!?]{0,30}https?:`,
    `${sent}[^\\n!?]{0,40}(?:${keyFile})[^\\n!?]{0,40}https?:`,
  ]),
  // The address of a picture is fetched by itself, with all that stands in it.
  sign('send', 0.7, 'gi', [
    `!\\[[^\\]\\n]{0,200}\\]\\(\\s{0,5}(?:${query}|https?:[^\\s)]{1,120}?/${placeholder})`,
    `<img[^>\\n]{1,300}?src=.{0,2}${query}`,
    // So is one that is to be opened with something behind it.
    '\\bhttps?:[^\\s)>]{1,120}[?&][\\w-]{1,40}=[\'"`]? (?:followed by|and then|plus|with) (?:the|your|all)',
  ]),
  sign('task', 0.3, 'gi', [
    '\\b(?:load|render|include|show|display|append|insert|add|output|embed|fetch|open|then|with|charge[rz]|lade' +
      '|carg(?:a|ue)|carica)\\b[^\\n!<]{0,60}(?=!\\[|<img)',
  ]),
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
