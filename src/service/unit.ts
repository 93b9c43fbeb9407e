import { ProblemError } from '../core/model/gate/problem.ts'

/**
 * Quotes a word of a unit (systemd.service, "Command lines"). It has no specifiers and no variables then. In
 * the first word, the path of the program, systemd looks for no variables.
 */
const unitWord = (word: string, index: number): string => {
  const plain = word.replaceAll('%', '%%').replaceAll('$', index === 0 ? '$$' : '$$$$')
  return /^[\w@%+=:,./-]+$/.test(word)
    ? plain
    : `"${plain.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`
}

const isOneLine = (word: string): boolean => !/[\0-\u001F]/.test(word)

/**
 * The unit for systemd. It is the packaged file, `model`, with the full path of this program in place of a
 * search on the PATH.
 */
export const systemdUnit = (model: string, program: readonly string[]): string => {
  const bad = program.find((word) => !isOneLine(word))
  if (bad !== undefined || !/^ExecStart=.*$/m.test(model))
    throw new ProblemError({
      code: 'service.unit',
      message: `Expected ${bad === undefined ? 'a unit with a line ExecStart=' : 'a path without control characters'}, got ${bad === undefined ? 'none' : JSON.stringify(bad)}.`,
      fix: 'Install hookgate again.',
    })
  return model.replace(/^ExecStart=.*$/m, () => `ExecStart=${[...program, 'start'].map(unitWord).join(' ')}`)
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The property list for launchd (launchd.plist). The gate runs as the person who installs it. */
export const launchdPlist = (
  label: string,
  program: readonly string[],
  person: { readonly name: string; readonly home: string },
): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${[...program, 'start'].map((word) => `    <string>${xml(word)}</string>`).join('\n')}
  </array>
  <key>UserName</key>
  <string>${xml(person.name)}</string>
  <key>WorkingDirectory</key>
  <string>${xml(person.home)}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>HOME</key>
    <string>${xml(person.home)}</string>
    <key>NODE_OPTIONS</key>
    <string>--disable-sigusr1</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardOutPath</key>
  <string>${xml(person.home)}/Library/Logs/hookgate.log</string>
  <key>StandardErrorPath</key>
  <string>${xml(person.home)}/Library/Logs/hookgate.log</string>
</dict>
</plist>
`
