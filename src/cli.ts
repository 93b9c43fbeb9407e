#!/usr/bin/env node
// A debugger would let any process of the same user into the gate, so this signal does nothing.
process.on('SIGUSR1', () => undefined)

const [verb, ...rest] = process.argv.slice(2)
if (verb === 'bridge' && !['install', 'uninstall', '--help', '-h'].includes(rest[0] ?? '')) {
  // A foreign agent waits for its hook at each step, so this verb imports as little as possible. It also runs
  // before the version of Node is checked, because only exit code 0 can refuse in every client.
  const { runBridgeHook } = await import('./cli/bridge-hook.ts')
  await runBridgeHook(rest)
} else {
  // An older Node cannot read the other files, so nothing is imported before this check.
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 18)) {
    process.stderr.write(
      `Expected Node 22.18 or newer, got ${process.versions.node}. Install a newer one, or run "npm start" in a clone: it brings its own.\n`,
    )
    process.exit(1)
  }
  const { runCli } = await import('./cli/run.ts')
  await runCli(process.argv.slice(2))
}
