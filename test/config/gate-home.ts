import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'

const workspace = path.join(os.tmpdir(), 'hookgate-nowhere')

/** A folder of a gate for each test of a file, with what a test writes and reads there. */
export const createGateHome = () => {
  let home = ''
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-config-'))
  })
  afterEach(() => fs.rmSync(home, { recursive: true, force: true }))
  return {
    workspace,
    /** The folder of the test that runs now. */
    path: (): string => home,
    /** Loads the configuration of this gate with these variables. */
    load: (env: Record<string, string> = {}) =>
      loadConfig({ HOOKGATE_HOME: home, HOOKGATE_WORKSPACE: workspace, ...env }),
    /** Writes its gate.yaml. */
    yaml: (text: string): void => fs.writeFileSync(path.join(home, 'gate.yaml'), text),
  }
}
