import { existsSync } from 'node:fs'
import { devNull } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { isWaiting } from '../../commands/cards/row.ts'
import { plural } from '../../commands/words.ts'
import { environment } from '../../config/environment.ts'
import type { Env } from '../../config/home.ts'
import { readConfig, type Config } from '../../config/load.ts'
import { switchFile } from '../../config/switch-file.ts'
import { catalogue } from '../../proposals/catalogue.ts'
import { platforms } from '../../shared/chat/platform.ts'
import { nearest } from '../../shared/base/nearest.ts'
import type { Problem } from '../../core/model/gate/problem.ts'
import { formatProblem } from '../../shared/base/problem.ts'
import { systemFolders } from '../../shared/hooks/hook-world.ts'
import { startProposalReader } from '../proposal-reader/reader.ts'

/** What `hookgate config check` found. */
export interface Checked {
  readonly text: string
  readonly isGood: boolean
}

interface FoundHooks {
  readonly problems: readonly Problem[]
  /** True when there is an agent.yaml that does not say whether hooks are on. */
  readonly isSwitchUnread: boolean
  readonly proposed: number
  readonly canBeApproved: number
}

/** The PATH of hooks, as far as another process can tell it. */
const systemPath = [...systemFolders, dirname(process.execPath)].join(delimiter)

/** Reads what the workspace proposes, as a start would. It changes nothing. */
const readWorkspace = async (config: Config): Promise<FoundHooks> => {
  const { home, workspace } = config
  // Before the first start there is no folder of the gate, so no file can lie in it.
  const readLaw = { kind: 'reader', home: existsSync(home) ? home : devNull } as const
  const known = { listed: config.hooksEnv, hasModel: config.llm !== undefined }
  const reader = startProposalReader(config, { path: systemPath, readLaw, ...known }, () => undefined)
  try {
    await reader.begun()
    await reader.look()
    const { proposed, problem } = reader.source()
    const rows = catalogue(proposed, [], reader.propose)
    const ofRows = rows.flatMap(({ problem: found, entry }) =>
      found === undefined ? [] : [{ file: entry?.origin, ...found }],
    )
    return {
      problems: [...(problem === undefined ? [] : [problem]), ...ofRows],
      isSwitchUnread: existsSync(switchFile(workspace)) && reader.switchInFile() === undefined,
      proposed: rows.length,
      canBeApproved: rows.filter(isWaiting).length,
    }
  } finally {
    await reader.stop()
  }
}

/** Names of hookgate's own variables that nobody reads, because they are mistyped. */
const strayVariables = (env: Env): readonly string[] => {
  const known = Object.values(environment).flatMap((group) => Object.keys(group))
  return Object.keys(env)
    .filter((name) => name.startsWith('HOOKGATE_') && !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known)
      return `hookgate reads no variable ${name}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
    })
}

/** Variables that gate.yaml names and that are not set. hookgate starts without them. */
const unsetVariables = ({ agents, hooksEnv, http, llm }: Config): readonly string[] => [
  ...agents.flatMap(({ id, endpoint }) =>
    endpoint?.missingKey === undefined
      ? []
      : [`${endpoint.missingKey}, the key of the agent ${id}, is not set.`],
  ),
  ...(llm?.apiKeyEnv !== undefined && llm.apiKey === undefined
    ? [`${llm.apiKeyEnv}, the key of hooks of type llm, is not set.`]
    : []),
  ...Object.entries({ ...hooksEnv, ...http.env }).flatMap(([name, value]) =>
    value === '' ? [`${name}, which hooks may have, is not set.`] : [],
  ),
]

/** What a start would run, one line for each part. */
const startLines = (config: Config, hasFile: boolean, hooks: FoundHooks | undefined): readonly string[] => {
  const { home, workspace, agents, web, telegram, feishu, wechat, owners } = config
  const messengers = [
    `web page on ${web.host}:${web.port}`,
    telegram === undefined ? 'no Telegram, as its token is not set' : 'Telegram',
    ...(feishu === undefined ? [] : [platforms[feishu.platform].name]),
    ...(wechat === undefined ? [] : ['WeChat']),
  ]
  return [
    `gate.yaml: ${join(home, 'gate.yaml')}${hasFile ? '' : ' (there is none, so the defaults are used)'}`,
    `Workspace: ${workspace}${existsSync(workspace) ? '' : ' (the first start makes it)'}`,
    `Agents: ${agents.map(({ id, make }) => `${id} (${make.kind})`).join(', ')}`,
    `Messengers: ${messengers.join(', ')}`,
    `Owners at a first start: ${owners.length === 0 ? 'the first person who pairs or opens the page' : owners.join(', ')}`,
    ...(hooks === undefined
      ? []
      : [`Hooks: ${hooks.proposed} proposed, ${hooks.canBeApproved} can be approved`]),
  ]
}

const verdictOf = (ofStart: number, ofHooks: number): string => {
  if (ofStart === 1 && ofHooks === 0) return '1 problem. hookgate does not start before it is corrected.'
  if (ofStart > 0)
    return `${plural(ofStart + ofHooks, 'problem')}. hookgate does not start before ${ofStart === 1 ? 'the first one is' : `the first ${ofStart} are`} corrected.`
  return ofHooks > 0
    ? `${plural(ofHooks, 'problem')}. hookgate starts, and the hooks that are named above cannot be approved.`
    : 'Nothing is wrong.'
}

/** Reads gate.yaml, the environment and the files of the workspace. It starts, makes and changes nothing. */
export const checkConfig = async (env: Env): Promise<Checked> => {
  const { config, problems, hasFile } = readConfig(env)
  const hooks =
    config.workspace !== '' && existsSync(config.workspace) ? await readWorkspace(config) : undefined
  const ofHooks = hooks?.problems ?? []
  const remarks = [
    ...strayVariables(env),
    ...unsetVariables(config),
    ...(hooks?.isSwitchUnread === true
      ? ['config/agent.yaml does not say whether hooks are on, so a first start has them off.']
      : []),
  ]
  return {
    text: [
      ...[...problems, ...ofHooks].map((problem) => `✗ ${formatProblem(problem)}`),
      ...remarks.map((remark) => `⚠ ${remark}`),
      ...(problems.length === 0 ? startLines(config, hasFile, hooks) : []),
      verdictOf(problems.length, ofHooks.length),
    ].join('\n'),
    isGood: problems.length + ofHooks.length === 0,
  }
}
