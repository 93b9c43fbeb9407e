import { join } from 'node:path'

export const switchFile = (workspace: string): string => join(workspace, 'config', 'agent.yaml')

/** The file's new text with its comments, or the reason why the file is not changed. */
export type Rendered = { readonly text: string } | { readonly why: string }

export const notWritten: Rendered & { readonly why: string } = {
  why: 'config/agent.yaml could not be written; the switch itself is set.',
}

export interface SwitchFileWriterPorts {
  readonly workspace: string
  /** Never rejects, and always ends, whatever the file holds. */
  render(isOn: boolean): Promise<Rendered>
  /**
   * Runs a shell script with the agent's rights, because the file lies in the agent's folder. The script is
   * killed when it is late. Returns its output when it failed. Never rejects.
   */
  asAgent(script: string, args: readonly string[], input: string): Promise<string | undefined>
  /** Reads the file again, as it is now. Never rejects. */
  read(): Promise<void>
  /** Tells the owners that the file does not show the switch. */
  tell(why: string): void
}

export interface SwitchFileWriter {
  /** Writes the switch into the file, later. Of several changes only the last one is written. */
  write(isOn: boolean): void
  /**
   * Whether the file was read after the last write. Until then it may show an older turn of the switch, which
   * is no edit.
   */
  isSettled(): boolean
}

/**
 * The script writes its input to the temporary name and moves it to the name of the file. It removes what is
 * at the temporary name and fails if a link appears there meanwhile. It follows neither.
 */
export const replaceFile =
  'umask 022; rm -f "$1"; set -C; cat > "$1" && mv "$1" "$2" || { rm -f "$1"; exit 1; }'

/**
 * Writes the switch into agent.yaml after the owner got their answer. The file only shows the switch, so
 * nothing waits for the write. Owners are told when the write fails.
 */
export const createSwitchFileWriter = ({
  workspace,
  render,
  asAgent,
  read,
  tell,
}: SwitchFileWriterPorts): SwitchFileWriter => {
  const path = switchFile(workspace)
  let wanted: boolean | undefined
  let isWriting = false
  let [turns, turnsRead] = [0, 0]
  const write = async (): Promise<void> => {
    isWriting = true
    while (wanted !== undefined) {
      const isOn = wanted
      wanted = undefined
      const rendered = await render(isOn)
      const failed =
        'why' in rendered
          ? rendered
          : (await asAgent(replaceFile, [`${path}.hookgate-${process.pid}`, path], rendered.text)) ===
              undefined
            ? undefined
            : notWritten
      if (failed !== undefined && wanted === undefined) tell(failed.why)
    }
    isWriting = false
    const turnsWritten = turns
    await read()
    // An older reading may end after a newer one.
    turnsRead = Math.max(turnsRead, turnsWritten)
  }
  return {
    write: (isOn) => {
      wanted = isOn
      turns += 1
      if (!isWriting) void write()
    },
    isSettled: () => turnsRead === turns,
  }
}
