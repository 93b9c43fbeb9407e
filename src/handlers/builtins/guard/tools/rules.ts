import { judgeStatements } from './data.ts'
import { rulesTable } from './rules-table.ts'
import { unquoted } from './running/code.ts'
import { startsInContainer } from './running/elsewhere.ts'
import type { Call } from '../call.ts'
import type { Effect } from '../effects.ts'
import { isOpen, literal, open, origin, textOf, type Value } from '../reading/value.ts'
import type { SayingName } from '../../../../shared/hooks/guard-words.ts'

/** What a command of a program does, such as `docker volume rm`. */
interface Rule {
  /** The words behind the program, with alternatives. They stand in this order, from the first ones on. */
  readonly words: readonly ReadonlySet<string>[]
  /** One of these options has to be there. */
  readonly needs: readonly string[]
  readonly effect: Effect
  /** `none` for one that is fine, before a wider rule. */
  readonly says: SayingName | 'none'
}

/** With one of these, a command only shows what it would do. */
const showing = /^--?(?:help|dry-?run(?:=(?!none|false).*)?|dryrun|no-act)$/

/** Some take it back, as `--dry-run false` does. */
const isShown = (words: readonly string[]): boolean =>
  /^--?(?:h|version)$/.test(words[0] ?? '') ||
  (words.includes('-h') && words.length < 4) ||
  (words.some((word) => showing.test(word)) && !words.some((word) => /^(?:false|--no-dry-run)$/.test(word)))

const listOf = (text: string): readonly string[] => text.split(' ').filter((one) => one !== '')

const rules = new Map<string, Rule[]>()
let names: readonly string[] = []
for (const line of rulesTable.split('\n').map((one) => one.trim())) {
  const [words = '', needs = '', effect, says] = line.split('|').map((cell) => cell.trim())
  if (says === undefined) names = line === '' ? [] : [...names, ...line.split(' ')]
  else
    for (const command of words.split(', ')) {
      const rule: Rule = {
        words: listOf(command).map((word) => new Set(word.split('/'))),
        needs: listOf(needs),
        effect: effect as Effect,
        says: says as Rule['says'],
      }
      for (const name of names) rules.set(name, [...(rules.get(name) ?? []), rule])
    }
}

export const hasRules = (name: string): boolean => rules.has(name)

/** How many words of options may stand before the command. */
const maxBefore = 4

const fits = ({ words, needs }: Rule, operands: readonly string[], options: readonly string[]): boolean => {
  for (let from = 0; from <= Math.min(maxBefore, operands.length - words.length); from++)
    if (words.every((word, index) => word.has((operands[from + index] ?? '').toLowerCase())))
      return (
        needs.length === 0 ||
        needs.some(
          (need) =>
            options.some((option) =>
              need.startsWith('--') || need.length > 2
                ? option === need || (!need.includes('=') && option.startsWith(`${need}=`))
                : /^-[a-zA-Z]+$/.test(option) && option.includes(need.charAt(1)),
            ) ||
            (!need.startsWith('-') && operands.some((operand) => operand.endsWith(need))),
        )
      )
  return false
}

/** Programs of clouds whose words can be a statement for a database. */
const withStatements =
  /^(?:wrangler|turso|supabase|heroku|fly|flyctl|pscale|planetscale|neonctl|aws|gcloud|bq)$/

/** The long commands of AWS say by their names what they do. */
const destroysInAws =
  /^(?:delete|terminate|purge|remove|deregister|disable|destroy|release|batch-delete|revoke|schedule-key)-[a-z-]+$/

/** An agent that asks no more. */
const asksNoMore =
  /^--(?:dangerously|yolo$|allow-all|full-auto$|bypass|(?:permission|approval)-mode=(?:bypass|yolo))/

/** `npm exec -c "…"`, `yarn exec …`, and the scripts that the line writes. */
const runsScripts = (call: Call): void => {
  const { texts } = call
  for (const text of texts) call.runsLines(text, /^scripts\.[^=]+=(.+)$/gs)
  for (const text of call.contentOf(literal('package.json')).texts)
    for (const [, script = ''] of (/"scripts"\s*:\s*\{([^{}]*)/.exec(text)?.[1] ?? '').matchAll(
      /:\s*"((?:[^"\\]|\\.)*)"/g,
    ))
      call.runsShell(literal(unquoted(script)))
  const at = texts.findIndex((text) => /^(?:exec|x|dlx)$/.test(text))
  if (at < 0 || at > 2) return
  call.runs([literal('npx'), ...call.words.slice(at + 1)])
}

const installers =
  /^(?:pip3?|uv|pipx|[cp]?npm|yarn|bun|gem|cargo|go|brew|apt|apt-get|dnf|yum|rpm|dpkg|flatpak|snap)$/

const usualStore =
  /^(?:git\+)?https:\/\/(?:github\.com|gitlab\.com|pypi\.org|download\.pytorch\.org|registry\.npmjs\.org)\//

/** Finds what is installed from an address, or from a file that the line loads. */
const installs = (call: Call, operands: readonly string[], options: readonly string[]): void => {
  const finds = (about: string | undefined): void => {
    if (about !== undefined) call.find('remote-exec', 'installsUnknown', about)
  }
  const isDeploy =
    /^(?:kubectl|oc|helm|docker|docker-compose)$/.test(call.name) &&
    operands.some((text) => /^(?:apply|build|create|install|up|upgrade|replace)$/.test(text))
  if (isDeploy) {
    finds(operands.find((text) => /^https?:/.test(text)))
    if ((call.input.from & origin.network) !== 0) call.find('remote-exec', 'runsDownload')
  }
  if (!isDeploy && !installers.test(call.name)) return
  const isInstall =
    operands.some((text) => /^(?:install|add|i|tap|run|get|localinstall)$/.test(text)) ||
    (call.name === 'rpm' && options.some((text) => /^-\w*[iU]/.test(text)))
  const sources = [...operands, ...options.map((text) => text.replace(/^--[\w-]+=/, ''))].filter((text) =>
    /^(?:git\+)?(?:https?|ftp|ssh|git):\/\/|^git@|^git\+/.test(text),
  )
  if (isInstall) finds(sources.find((text) => !usualStore.test(text)))
  if (operands.includes('install') && sources.length === 0)
    finds(options.find((text) => /^--(?:extra-)?index-url|^-i$|--registry|--trusted-host/.test(text)))
  for (const word of call.words)
    if (
      word.texts.some((text) => /[./]/.test(text) && !isOpen(text)) &&
      (call.contentOf(word).from & origin.network) !== 0
    )
      call.find('remote-exec', 'runsDownload')
}

/** Judges a program by the table of its commands. Returns what it prints. */
export const judgeByRules = (call: Call): Value | undefined => {
  const { texts } = call
  const dashes = texts.indexOf('--')
  const own = dashes < 0 ? texts : texts.slice(0, dashes)
  const operands = own.filter((text) => !text.startsWith('-'))
  const options = own.filter((text) => text.startsWith('-'))
  if (!isShown(own)) {
    const rule = rules.get(call.name)?.find((one) => fits(one, operands, options))
    if (rule !== undefined && rule.says !== 'none')
      call.find(rule.effect, rule.says, `${call.name} ${texts.slice(0, 12).join(' ')}`)
    if (call.name.startsWith('aws') && operands.some((text) => destroysInAws.test(text)))
      call.find('destroy', 'destroysCloud', `${call.name} ${operands.slice(0, 3).join(' ')}`)
    if (withStatements.test(call.name))
      for (const word of call.words) if (/\s/.test(textOf(word))) judgeStatements(call, word)
    installs(call, operands, options)
  }
  // What these start has options of its own.
  startsInContainer(call)
  const given = options.find((option) => asksNoMore.test(option))
  if (given !== undefined && /^(?:claude|codex|gemini|copilot|opencode|kimi)$/.test(call.name))
    call.find('privilege', 'dropsProtection', given)
  if (/^(?:npm|pnpm|yarn|bun)$/.test(call.name)) runsScripts(call)
  // `docker cp`, `kubectl cp` and `aws s3 cp` name files as `scp` does.
  const copy = texts.slice(0, 2).findIndex((text) => /^(?:cp|mv|sync)$/.test(text))
  if (copy >= 0 && /^(?:docker|podman|nerdctl|kubectl|oc|k|aws|gsutil)$/.test(call.name))
    return call.runs([literal('scp'), ...call.words.slice(copy + 1)])
  return /^(?:aws|az|gcloud|gsutil|gh|glab)$/.test(call.name) &&
    operands.some((text) => /^(?:api|cat|download|view)$/.test(text))
    ? open(origin.network)
    : undefined
}
