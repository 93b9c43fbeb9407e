import { parseArgs } from 'node:util'
import { optionWords } from '../../shared/base/problem.ts'
import { INSTALLATIONS } from './clients.ts'
import { installBridge, type InstallPorts } from './install.ts'

const usage = `Expected "hookgate bridge install <client>", with one of ${Object.keys(INSTALLATIONS).join(', ')}.

  --user       your own settings (the default)
  --project    the settings of this folder, for everybody who works in it
  --managed    the administrator's settings of this machine, which its users cannot change; needs root
  --dry-run    says what would change, and changes nothing; with --verbose each line of it, with --json for programs
  --http       Claude Code only: asks over HTTP, without a process for each event

"hookgate bridge uninstall <client>" removes the hooks again.`

/** Runs `install` or `uninstall` with a client and its options. Returns the exit code. */
export const runInstall = async (args: readonly string[], ports: InstallPorts): Promise<number> => {
  const options = {
    user: { type: 'boolean' },
    project: { type: 'boolean' },
    managed: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    http: { type: 'boolean' },
    verbose: { type: 'boolean' },
    json: { type: 'boolean' },
  } as const
  let read
  try {
    read = parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    ports.say(`${optionWords(error)}\n\n${usage}`)
    return 1
  }
  const {
    values: { user, project, managed, http, ...values },
    positionals: [verb, client, more],
  } = read
  const scopes = [user, project, managed].filter((is) => is === true)
  if (client === undefined || more !== undefined || scopes.length > 1) {
    ports.say(usage)
    return 1
  }
  return installBridge(
    {
      client,
      scope: managed === true ? 'managed' : project === true ? 'project' : 'user',
      ...(values['dry-run'] === true
        ? { dryRun: values.json === true ? 'json' : values.verbose === true ? 'verbose' : 'summary' }
        : {}),
      isRemoval: verb === 'uninstall',
      isHttp: http === true,
    },
    ports,
  )
}
