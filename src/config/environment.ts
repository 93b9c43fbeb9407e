/** The documentation of one environment variable. */
export interface Variable {
  /** The value that is used where the variable is not set. Absent: there is none. */
  readonly otherwise?: string
  /** What the variable says or does, in whole sentences. */
  readonly does: string
}

type Variables = Readonly<Record<string, Variable>>

/** Variables that the owner sets where hookgate is started. They take precedence over gate.yaml. */
const ofOwner: Variables = {
  HOOKGATE_HOME: {
    otherwise: '~/.hookgate',
    does: 'The gate keeps gate.yaml, secrets, seals, sockets and history in this folder.',
  },
  HOOKGATE_WORKSPACE: {
    otherwise: '~/hookgate',
    does: 'The agent works in this folder. It may not be inside hookgate itself.',
  },
  HOOKGATE_PORT: {
    otherwise: 'channels.web.port',
    does: 'The web page listens on this port. With 0 the system chooses one.',
  },
  HOOKGATE_OWNERS: {
    does: 'These people own the gate, such as telegram:7,telegram:8. It counts once, while the ledger is empty. Without it the first person who pairs is the owner.',
  },
  HOOKGATE_DATABASE: {
    does: 'The gate keeps its ledger and its history in this PostgreSQL database, such as postgres://user:password@host:5432/database. Of several gates with one database, the first one works and the others wait to take over. Without it both are files in HOOKGATE_HOME.',
  },
  TELEGRAM_BOT_TOKEN: {
    does: 'This is the token of your Telegram bot. Without it Telegram is not connected. channels.telegram.token_env can name another variable.',
  },
  TELEGRAM_API_ROOT: {
    otherwise: 'https://api.telegram.org',
    does: 'hookgate reaches the Bot API at this address, where you run a server of your own.',
  },
  FEISHU_APP_ID: {
    does: 'This is the id of your app in Feishu or Lark, such as cli_0123456789abcdef. Without it Feishu is not connected. channels.feishu.app_id_env can name another variable.',
  },
  FEISHU_APP_SECRET: {
    does: 'This is the secret of your app in Feishu or Lark. channels.feishu.app_secret_env can name another variable.',
  },
  FEISHU_API_ROOT: {
    otherwise: 'https://open.feishu.cn',
    does: 'hookgate reaches the Open Platform at this address, where you have one of your own.',
  },
  STARCHILD_SHELL_HOOKS: {
    does: 'With 1, hooks are on from this start until an owner turns them off.',
  },
  STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL: {
    does: 'With 1, hooks of type http may also call addresses of this machine and of its network.',
  },
  XDG_CONFIG_HOME: {
    otherwise: '~/.config',
    does: 'Your settings lie in this folder. The hooks that you share with other agents lie in agents/hooks under it.',
  },
}

/** Variables of OpenTelemetry that hookgate follows. */
const ofTraces: Variables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    does: 'The gate sends traces to this collector of OpenTelemetry, such as http://127.0.0.1:4318. Without it there are no traces.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    does: 'It is the whole address for traces, such as http://127.0.0.1:4318/v1/traces, and comes before OTEL_EXPORTER_OTLP_ENDPOINT.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    otherwise: 'http/protobuf',
    does: 'It is the protocol of the collector. hookgate has only this one.',
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    otherwise: 'http/protobuf',
    does: 'It comes before OTEL_EXPORTER_OTLP_PROTOCOL.',
  },
  OTEL_TRACES_EXPORTER: {
    otherwise: 'otlp',
    does: 'With none, there are no traces. With otlp and no address, they go to http://localhost:4318.',
  },
  OTEL_SDK_DISABLED: { does: 'With true, there are no traces.' },
  OTEL_TRACES_SAMPLER: {
    otherwise: 'always_on',
    does: 'With traceidratio, the part of events that OTEL_TRACES_SAMPLER_ARG names is traced. With always_off, none is.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    otherwise: '1',
    does: 'This part of the events is traced, from 0 to 1.',
  },
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: {
    does: 'With true, traces also contain what was judged, and the reasons of hooks. Both can contain secrets.',
  },
  OTEL_BSP_SCHEDULE_DELAY: { otherwise: '5000', does: 'Traces are sent so often, in milliseconds.' },
  OTEL_BSP_EXPORT_TIMEOUT: { otherwise: '30000', does: 'Sending may take so long, in milliseconds.' },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    otherwise: '2048',
    does: 'So many spans wait for the collector. More of them are dropped.',
  },
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: { otherwise: '512', does: 'So many spans are sent at once.' },
}

/** Variables that the system or another program sets. hookgate only reads them. */
const ofSystem: Variables = {
  PATH: { does: 'Programs are found in these folders. Hooks get those of them that the agent cannot write.' },
  HOME: { does: 'This is your home. Agents and hooks have homes of their own.' },
  LANG: { otherwise: 'C.UTF-8', does: 'Agents and hooks get this language.' },
  TZ: { does: 'Agents and hooks get this time zone, if it is one of the IANA database.' },
  SUDO_USER: { does: 'This is your name, where sudo started hookgate. Hooks get it as USER.' },
  USER: { does: 'This is your name, where sudo did not start hookgate.' },
  LOGNAME: { does: 'This is your name, where USER is not set.' },
  CLAUDE_CONFIG_DIR: {
    otherwise: '~/.claude',
    does: '`bridge install` finds the settings of Claude Code here, and `scan` its sessions.',
  },
  COPILOT_HOME: {
    otherwise: '~/.copilot',
    does: '`bridge install` finds the settings of Copilot CLI here, and `scan` its sessions.',
  },
  GEMINI_CLI_HOME: {
    otherwise: '~',
    does: '`bridge install` and `scan` find the folder .gemini of Gemini CLI here.',
  },
  KIMI_CODE_HOME: {
    otherwise: '~/.kimi-code',
    does: '`bridge install` finds the settings of Kimi Code here, and `scan` its sessions.',
  },
  CODEX_HOME: {
    otherwise: '~/.codex',
    does: '`bridge install` finds the settings of Codex here, and `scan` its sessions.',
  },
  XDG_DATA_HOME: {
    otherwise: '~/.local/share',
    does: '`scan` finds the folder opencode with the sessions of OpenCode here.',
  },
  OPENCODE_DB: {
    otherwise: 'opencode.db',
    does: '`scan` reads this database of OpenCode, by its path from the folder opencode.',
  },
  DOCKER_AGENT_CONFIG_DIR: {
    otherwise: '~/.config/cagent',
    does: '`bridge install` finds the settings of docker-agent here.',
  },
  CAGENT_CONFIG_DIR: { does: 'This is the older name of DOCKER_AGENT_CONFIG_DIR.' },
  CLAUDECODE: { does: 'It tells the bridge that Claude Code started it.' },
  COPILOT_CLI: { does: 'It tells the bridge that Copilot CLI started it.' },
  CLAUDE_CODE_ENTRYPOINT: { does: 'It tells the bridge how Claude Code was started.' },
  CLAUDE_CODE_SESSION_ATTENDED: { does: 'It tells the bridge whether a person sits before Claude Code.' },
}

/** Variables that hookgate sets for a hook. */
const ofHooks: Variables = {
  HOOKGATE_EVENT: { does: 'The hook is asked about this event.' },
  HOOKGATE_HOOK_DIR: {
    does: 'The hook was proposed from this folder. The hook itself runs from its seal.',
  },
  HOOKGATE_CHAIN: {
    does: 'These events led to this one. hookgate refuses an event where more than two stand here.',
  },
  HOOKGATE_WARM: { does: 'It is 1 in a hook that was started before its event.' },
}

/** Variables that hookgate sets for its own processes. Nobody else sets them. */
const ofProcesses: Variables = {
  HOOKGATE_AGENT: { does: 'It tells an agent host the name of its agent.' },
  HOOKGATE_AGENT_MAKE: { does: 'It tells an agent host which kind of agent it runs.' },
  HOOKGATE_SOCKET: { does: 'It tells an agent host the socket of the gate.' },
  HOOKGATE_HOST_KEY: {
    does: 'An agent host sends it with each request, so that the gate has room for them.',
  },
  HOOKGATE_KEPT: { does: 'An agent host keeps snapshots in this folder.' },
  HOOKGATE_RUN: { does: 'It marks all that hookgate started, so that it can be ended.' },
  HOOKGATE_EMPTY: { does: 'A hook host empties this folder.' },
  HOOKGATE_GIT: { does: 'A hook host finds here what stands before the git of hooks.' },
}

/** Every environment variable that hookgate reads or sets. */
export const environment = { ofOwner, ofTraces, ofSystem, ofHooks, ofProcesses } as const
