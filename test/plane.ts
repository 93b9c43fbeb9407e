import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createMemory, type MemoryChannel } from '../bots/memory/memory.ts'
import { loadConfig, type Config } from '../src/config/load.ts'
import type { AssemblyOptions } from '../src/compose/base.ts'
import type { Parts } from '../src/compose/parts.ts'
import { assemble } from '../src/main.ts'
import type { Message } from '../src/core/model/chat/channel.ts'
import { openStoreHere } from './store/here.ts'
import { until } from './until.ts'

/**
 * The whole plane in this process over the memory channel: the real gate, hook host, agent host and store.
 */
export interface Plane {
  readonly gate: Parts
  readonly memory: MemoryChannel
  readonly workspace: string
  readonly home: string
  /** Everything that the owner's chat got, the oldest first. */
  texts(): readonly string[]
  /** Says something as the owner and resolves with the first answer that holds. */
  ask(text: string, holds: (answer: string) => boolean, withinMs?: number): Promise<string>
  say(text: string, overrides?: Partial<Message>): void
  /** Writes an executable file under the workspace. */
  script(path: string, source: string): Promise<void>
  /** Writes the proposals, and waits until the gate has read them. */
  propose(yaml: string): Promise<void>
  read(path: string): Promise<string>
  stop(): Promise<void>
}

export { until }

const logged = (level: string, what: string, fields?: object): void => {
  if (process.env['HOOKGATE_TEST_LOG'] !== undefined)
    process.stderr.write(`${level} ${what} ${JSON.stringify(fields ?? {})}\n`)
}

const planeOver =
  (openFile: AssemblyOptions['openFile']) =>
  async (
    yaml = 'hooks: []\n',
    files: Readonly<Record<string, string>> = {},
    env: Readonly<Record<string, string>> = {},
    separation: Config['separation'] = 'none',
    bridge: Partial<Config['bridge']> = {},
    gateYaml = '',
    hasRealAge = false,
  ): Promise<Plane> => {
    const root = await mkdtemp(join(tmpdir(), 'hookgate-plane-'))
    const workspace = join(root, 'workspace')
    const home = join(root, 'home')
    const script = async (path: string, source: string): Promise<void> => {
      await mkdir(dirname(join(workspace, path)), { recursive: true })
      await writeFile(join(workspace, path), source)
      await chmod(join(workspace, path), 0o755)
    }
    await mkdir(join(workspace, 'config'), { recursive: true })
    // Not its first start, which would put the examples beside what a test puts into its workspace.
    await mkdir(home)
    await writeFile(join(home, 'state.db'), '')
    if (gateYaml !== '') await writeFile(join(home, 'gate.yaml'), gateYaml)
    await writeFile(join(workspace, 'config', 'shell_hooks.yaml'), yaml)
    for (const [path, source] of Object.entries(files)) await script(path, source)

    let made: MemoryChannel | undefined
    const config = loadConfig({
      HOOKGATE_HOME: home,
      HOOKGATE_WORKSPACE: workspace,
      HOOKGATE_PORT: '0',
      HOOKGATE_OWNERS: 'memory:owner',
      XDG_CONFIG_HOME: join(root, 'config'),
      ...env,
    })
    const gate = await assemble(
      { ...config, separation, bridge: { ...config.bridge, port: 0, ...bridge } },
      {
        log: logged,
        openFile,
        ...(hasRealAge ? {} : { leastAgeMs: 0 }),
        channels: (ports) => {
          made = createMemory(undefined, ports)
          return [made]
        },
      },
    )
    if (made === undefined) throw new Error('The memory channel was not made.')
    const memory = made
    // An adopted owner's home chat bears the owner's own id.
    const texts = (): readonly string[] =>
      memory
        .sent()
        .filter(({ chat_id }) => chat_id === 'owner')
        .map(({ text }) => text)
    const say: Plane['say'] = (text, overrides = {}) => memory.say(text, { chat_id: 'owner', ...overrides })
    return {
      gate,
      memory,
      workspace,
      home,
      texts,
      say,
      script,
      ask: (text, holds, withinMs) => {
        const from = texts().length
        say(text)
        return until(
          `an answer to ${JSON.stringify(text.slice(0, 60))} in ${JSON.stringify(texts().slice(from))}`,
          () => texts().slice(from).find(holds),
          withinMs,
        )
      },
      propose: async (proposals) => {
        const before = JSON.stringify(
          gate.rows().map(({ event, command, status, entry }) => [event, command, status, entry?.onError]),
        )
        await writeFile(join(workspace, 'config', 'shell_hooks.yaml'), proposals)
        await until(
          'the gate to read the proposals',
          () =>
            JSON.stringify(
              gate
                .rows()
                .map(({ event, command, status, entry }) => [event, command, status, entry?.onError]),
            ) !== before,
        )
      },
      read: (path) => readFile(join(workspace, path), 'utf8'),
      stop: async () => {
        await gate.stop()
        await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
      },
    }
  }

/** Taps count at once, since no person is there to read first; `hasRealAge`: they do not. */
export const startPlane = planeOver(openStoreHere)

/** The same with the store in its thread, as in use. */
export const startThreadedPlane = planeOver(undefined)
