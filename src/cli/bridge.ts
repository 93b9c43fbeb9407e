import { print, type Verb } from './verb.ts'

export const install: Verb = {
  usage:
    'hookgate bridge install <client> [--user|--project|--managed] [--dry-run [--verbose|--json]] [--http]',
  does: ['puts a coding agent behind the gate; uninstall takes it out again'],
  help: `  --user       your own settings (this is the default)
  --project    the settings of this folder, for everybody who works in it
  --managed    the administrator's settings of this machine, which its users cannot change; needs root
  --dry-run    says what would change, and changes nothing; with --verbose each line of it, with --json for programs
  --http       Claude Code only: asks over HTTP, without a process for each event`,
  run: async (args) => {
    const { installFor } = await import('../compose/verbs/install.ts')
    process.exit(await installFor(args, process.env, print))
  },
}

/** This verb is run by `cli.ts`, before all others. Only its help text is here. */
export const hook: Omit<Verb, 'run'> = {
  usage: 'hookgate bridge <client> <Event> [--home DIR] [--deadline S]',
  does: ["asks the running gate for a hook of another agent, and answers in that agent's words"],
}
