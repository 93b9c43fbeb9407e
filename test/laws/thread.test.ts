import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const waiting = /\b(?:spawnSync|execSync|execFileSync|Atomics\.wait)\(/

/** Where a program is waited for with the whole thread, and on which thread that is. */
const places: Readonly<Record<string, string>> = {
  'src/isolation/run-script.ts': "the gate's, at its start alone",
  'src/handlers/host/spawn/containment.ts': "the gate's, at the start of a hook host: its own program",
  'src/handlers/host/git/git-elsewhere.ts': "a hook's",
  // A second at most, and only where there is no namespace that ends with its host.
  'src/handlers/host/spawn/group.ts': "the gate's, when a hook host has died",
  'src/handlers/host/spawn/patient-spawn.ts': "the hook host's",
  'src/handlers/host/spawn/pipes.ts': "the hook host's",
  'src/handlers/host/spawn/waiting-shell.ts':
    "the hook host's, once: a shell of the system, a second at most",
  'src/bridge/bridge.ts': "a client's hook's",
}

test('a program is waited for with the whole thread in few places, none of which the agent can slow down', () => {
  const files = globSync('{src,bots}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] })
    .filter((file) => !file.startsWith('src/attack/'))
    .filter((file) =>
      waiting.test(readFileSync(resolve(root, file), 'utf8').replaceAll(/^\s*(?:\/\/|\*).*$/gm, '')),
    )
  expect(files.toSorted()).toEqual(Object.keys(places).toSorted())
})
