import { join } from 'node:path'

export const switchFile = (workspace: string): string => join(workspace, 'config', 'agent.yaml')

/** The file's new text, comments kept, or why it is left as it is. */
export type Rendered = { readonly text: string } | { readonly why: string }

export const notWritten: Rendered & { readonly why: string } = {
  why: 'config/agent.yaml could not be written; the switch itself is set.',
}

export interface SwitchFileWriterPorts {
  readonly workspace: string
  /** Never rejects, and has an end whatever lies there. */
  render(isOn: boolean): Promise<Rendered>
  /** Runs a shell script with the agent's rights, killed when it is late: the file lies in the agent's folder. What it said when it failed. Never rejects. */
  asAgent(script: string, args: readonly string[], input: string): Promise<string | undefined>
  /** Words for the owners: the file does not show the switch. */
  tell(why: string): void
}

/** What lies at the temporary name is removed, and a link laid there meanwhile is refused: neither is followed. */
const script = 'umask 022; rm -f "$1"; set -C; cat > "$1" && mv "$1" "$2" || { rm -f "$1"; exit 1; }'

/**
 * Writes the switch into agent.yaml behind the owner's answer. The file only shows the switch, so nothing waits for it:
 * of several changes the last one is written, and a failure is told.
 */
export const createSwitchFileWriter = ({
  workspace,
  render,
  asAgent,
  tell,
}: SwitchFileWriterPorts): ((isOn: boolean) => void) => {
  const path = switchFile(workspace)
  let wanted: boolean | undefined
  let isWriting = false
  const write = async (): Promise<void> => {
    isWriting = true
    while (wanted !== undefined) {
      const isOn = wanted
      wanted = undefined
      const rendered = await render(isOn)
      const failed =
        'why' in rendered
          ? rendered
          : (await asAgent(script, [`${path}.hookgate-${process.pid}`, path], rendered.text)) === undefined
            ? undefined
            : notWritten
      if (failed !== undefined && wanted === undefined) tell(failed.why)
    }
    isWriting = false
  }
  return (isOn) => {
    wanted = isOn
    if (!isWriting) void write()
  }
}
