import type { Catalogue } from '../catalogues.ts'

/** The findings of /hooks doctor and /hooks test. */
export const doctor: Catalogue = {
  // What to do about a fault.
  'Make it faster, or raise its timeout and approve it again.': '请加快它，或调高超时并重新批准。',
  'Correct the file and approve it again.': '请改正文件并重新批准。',
  'Give the hooks’ user access to the folder, or correct "cwd".':
    '请让运行钩子的用户能访问该目录，或改正 "cwd"。',
  'Check the memory, processes and disk of the machine, or match fewer events.':
    '请检查机器的内存、进程和磁盘，或匹配更少的事件。',
  'Run it by hand with a sample on stdin.': '请手动运行它，并从 stdin 输入样本。',
  'Run it by hand with a sample on stdin. It must exit with 0, or with 2 to block.':
    '请手动运行它，并从 stdin 输入样本。它必须以 0 退出，要拦截则以 2 退出。',
  'Write its answer with a JSON tool such as jq. Text that is put together by hand breaks at a quotation mark.':
    '请用 jq 之类的 JSON 工具写出它的答复。手工拼接的文本遇到引号就会出错。',
  'Print one JSON object or nothing to stdout, and print logs to stderr.':
    '请向 stdout 输出一个 JSON 对象或不输出，日志写到 stderr。',
  'Make the file that it names reachable for hooks, or change the hook so that it does not need it.':
    '请让钩子能访问它提到的文件，或修改钩子使它不需要该文件。',
  'See config/context/references/agent-hooks.md for what may be rewritten.':
    '可以改写的内容见 config/context/references/agent-hooks.md。',
  'A file that was approved has changed. Look at it before you approve the hook again.':
    '一个已批准的文件有改动。请先查看，再重新批准钩子。',
  'Another program ended it. Try again.': '它被另一个程序终止。请再试一次。',
  'hookgate did not ask it. Correct the entry or gate.yaml.': 'hookgate 没有询问它。请改正条目或 gate.yaml。',
  'Check that its server runs and answers.': '请检查它的服务器是否在运行并应答。',
  'Try again. If the fault stays, restart hookgate.': '请再试一次。如果故障仍在，请重启 hookgate。',

  // The answer of a hook.
  'It took {0} ms of its {1} s. Raise its timeout, or it may fail later.':
    '它用了 {0} 毫秒，上限 {1} 秒。请调高超时，否则以后可能失败。',
  'answers {0} in {1} ms{2}': '在 {1} 毫秒内答复 {0}{2}',
  'seal {0}': '封存 {0}',
  'by {0}': '解释器 {0}',
  'ran: {0}': '运行了：{0}',

  // Agents behind a bridge.
  '{0} sent the event {1}. This hookgate does not know it, so no hook judged it. → Update hookgate.':
    '{0} 发来了事件 {1}。这个版本的 hookgate 不认识它，所以没有钩子审查过。→ 请更新 hookgate。',
  '{0} sent the event {1} {2} times. This hookgate does not know it, so no hook judged it. → Update hookgate.':
    '{0} 发来了事件 {1}，共 {2} 次。这个版本的 hookgate 不认识它，所以没有钩子审查过。→ 请更新 hookgate。',
  '{0} skips the hooks of hookgate, because {1} has {2}. → Run sudo hookgate bridge install {3} --managed, or remove the setting.':
    '{0} 会跳过 hookgate 的钩子，因为 {1} 中有 {2}。→ 运行 sudo hookgate bridge install {3} --managed，或删除该设置。',
  '{0} skips all hooks, because {1} has {2}. → Remove the setting.':
    '{0} 会跳过所有钩子，因为 {1} 中有 {2}。→ 删除该设置。',
  "Another program is using port {0}. It answers HTTP hooks in place of the gate, and it receives the agents' token. Agents that call HTTP hooks are refused or not judged until it is gone. The gate tries again every few seconds. → Stop that program. Or use no HTTP: hookgate bridge install claude-code":
    '另一个程序占用了端口 {0}。它代替网关应答 HTTP 钩子，并会收到智能体的令牌。在它退出之前，调用 HTTP 钩子的智能体会被拒绝，或者不受审查。网关每隔几秒重试一次。→ 请停止该程序。或者不用 HTTP：hookgate bridge install claude-code',
  'Port {0} is free again. Agents that call HTTP hooks are served.':
    '端口 {0} 又空闲了。调用 HTTP 钩子的智能体恢复服务。',
  'There were {0} more unknown events.': '另有 {0} 个未知事件。',

  // The message types of the channels.
  Coverage: '覆盖范围',
  '{0} · 1 message type judged': '{0} · 审查 1 种消息',
  '{0} · {1} message types judged': '{0} · 审查 {1} 种消息',
  '{0} · 1 other method blocked': '{0} · 拦截 1 个其他方法',
  '{0} · {1} other methods blocked': '{0} · 拦截 {1} 个其他方法',
  '{0} · new in its library, and blocked: {1}': '{0} · 其程序库新增且被拦截：{1}',

  // The run.
  'No hook is approved, so there is none to run.\n→ /hooks': '没有已批准的钩子，所以没有可运行的。\n→ /hooks',
  'Running 1 approved hook on samples…': '正在用样本运行 1 个已批准的钩子…',
  'Running {0} approved hooks on samples…': '正在用样本运行 {0} 个已批准的钩子…',
  '… {0} of {1} done': '… 已完成 {0} / {1}',
  '{0} of {1} hooks healthy': '{0} / {1} 个钩子正常',

  // The file that proposes a hook.
  'Its node {0} has not connected since hookgate started. Start hookgate node there.':
    '其节点 {0} 自 hookgate 启动以来未连接。请在那里启动 hookgate node。',
  'No file proposes this hook any more. The approved copy still runs. /hooks revoke ends it.':
    '不再有文件提议这个钩子。已批准的副本仍在运行。用 /hooks revoke 可以结束它。',
  'The hook is stopped, because a file that it uses in place changed after the approval. /hooks approve accepts the new file.':
    '钩子已停止，因为它直接使用的一个文件在批准后有改动。用 /hooks approve 可以接受新文件。',
  'Its file: {0} The approved copy still runs.': '它的文件：{0} 已批准的副本仍在运行。',
  'The proposal changed after the approval. The approved copy still runs. /hooks approve accepts the new one.':
    '提议在批准后有改动。已批准的副本仍在运行。用 /hooks approve 可以接受新版本。',

  // The gate and its machine.
  'Hooks leave no processes behind.': '钩子不会留下进程。',
  'Hooks may leave processes behind. {0}': '钩子可能留下进程。{0}',
  'Lockdown: {0}. {1}': '锁定：{0}。{1}',
  'The switch is off: no hook fires. → /hooks on': '开关已关闭：没有钩子触发。→ /hooks on',
  'with this version, a repository could start programs in hooks. Install git 2.36 or newer for the whole system.':
    '在这个版本下，代码仓库能在钩子中启动程序。请为整个系统安装 git 2.36 或更新的版本。',
  'Hooks use git {0}: {1}': '钩子使用 git {0}：{1}',
  'This hook seems to ask a model on pre_llm_call, so each model call would cause another one. Move it to another event.':
    '这个钩子似乎在 pre_llm_call 上询问模型，每次模型调用都会再引起一次。请把它移到别的事件。',
  'The agent runs as {0} and hooks as {1}: neither can reach the gate.':
    '智能体以 {0} 运行，钩子以 {1} 运行：两者都接触不到网关。',
  'The agent runs in a sandbox ({0}), hooks in another one: neither can see your home, the gate’s keys or its processes.':
    '智能体在一个沙箱（{0}）中运行，钩子在另一个沙箱中：两者都看不到你的主目录、网关的密钥和进程。',
  'The agent runs in a sandbox ({0}), hooks in another one: neither can see the gate’s keys or its processes. But your home is visible: {1}':
    '智能体在一个沙箱（{0}）中运行，钩子在另一个沙箱中：两者都看不到网关的密钥和进程。但你的主目录可见：{1}',
  '{0} Separate users would be safer: {1}. {2}': '{0}使用不同的用户会更安全：{1}。{2}',
  'gate.yaml says separation: {0}': 'gate.yaml 中写着 separation: {0}',
  'Remove that line.': '请删除那一行。',
  'there is no user {0}': '没有用户 {0}',
  'Make it: useradd --system --create-home {0} (or name another in gate.yaml: {1}).':
    '请创建它：useradd --system --create-home {0}（或者在 gate.yaml 中指定另一个：{1}）。',
  '{0} is root': '{0} 是 root',
  '{0} is the gate’s own user': '{0} 是网关自己的用户',
  'Name another in gate.yaml: {0}.': '请在 gate.yaml 中指定另一个：{0}。',
  '{0} and {1} are one user or in one group': '{0} 和 {1} 是同一个用户，或者属于同一个组',
  'Give each its own in gate.yaml.': '请在 gate.yaml 中为每一个指定自己的用户。',
  '{0} cannot run {1}': '{0} 不能运行 {1}',
  'Install Node where every user can run it.': '请把 Node 安装在每个用户都能运行的地方。',
  '{0} cannot read {1}': '{0} 不能读取 {1}',
  'Install hookgate where every user can read it, such as /opt.':
    '请把 hookgate 安装在每个用户都能读取的地方，例如 /opt。',
  '{0} cannot enter the workspace {1}': '{0} 不能进入工作区 {1}',
  'Name a folder that it can enter: HOOKGATE_WORKSPACE=/srv/hookgate.':
    '请指定一个它能进入的目录：HOOKGATE_WORKSPACE=/srv/hookgate。',
  '{0} cannot write the workspace {1}': '{0} 不能写入工作区 {1}',
  'Give it to the agent: chown -R {0} {1}': '请把它交给智能体：chown -R {0} {1}',
  '{0} cannot pass through {1}': '{0} 不能通过 {1}',
  'Name a folder that it can enter: HOOKGATE_HOME=/var/lib/hookgate.':
    '请指定一个它能进入的目录：HOOKGATE_HOME=/var/lib/hookgate。',
  'nothing can be started as {0} ({1})': '无法以 {0} 启动任何程序（{1}）',
  'Check whether the system allows that user to run programs.': '请检查系统是否允许该用户运行程序。',
  'hookgate may not change users': 'hookgate 无权切换用户',
  'Start it as root or as a service (config/service).': '请以 root 或作为服务启动它（config/service）。',
  'setpriv is missing': '缺少 setpriv',
  'Install util-linux.': '请安装 util-linux。',
  '{0} can be changed by agent or hooks': '智能体或钩子可以更改 {0}',
  'Give it to root: chown root and chmod go-w.': '请把它交给 root：chown root 和 chmod go-w。',
  'the gate’s folder cannot be shared out ({0})': '无法把网关的目录分给各个用户（{0}）',
  'Give it to the user that hookgate runs as.': '请把它交给运行 hookgate 的用户。',
  'Nothing keeps an agent with a shell out of the gate: {0}. {1}':
    '没有什么能阻止带 Shell 的智能体进入网关：{0}。{1}',
  'Hooks store lasting files in {0} (their HOME) and temporary files in {1} (their TMPDIR); /tmp is the machine’s own.':
    '钩子把长期文件存放在 {0}（它们的 HOME），临时文件存放在 {1}（它们的 TMPDIR）；/tmp 是机器自己的。',
  'Hooks store lasting files in {0} (their HOME). Files that they write to {1} are stored in {2} and last, too.':
    '钩子把长期文件存放在 {0}（它们的 HOME）。写到 {1} 的文件存放在 {2}，同样会保留。',
  'Hooks find no programs in {0}, and {1} more.': '钩子不会在以下目录查找程序：{0}，另有 {1} 个。',
  'Hooks find no programs in {0}.': '钩子不会在以下目录查找程序：{0}。',

  // Resident programs and warm starts.
  'not running, starts when it is asked, asked {0} times, restarted {1} times':
    '未运行，被询问时启动，已询问 {0} 次，已重启 {1} 次',
  'running for {0} s, asked {1} times, restarted {2} times': '已运行 {0} 秒，已询问 {1} 次，已重启 {2} 次',
  'The program last ended because: {0}': '程序上次结束的原因：{0}',
  '{0} of its output lines were dropped: they were late, matched no request or were not JSON.':
    '它有 {0} 行输出被丢弃：来得太晚、不对应任何请求，或不是 JSON。',
  'the warm start could not be tested': '无法测试预热启动',
  'The warm start is in use: {0} cold, {1} warm.': '正在使用预热启动：冷启动 {0}，预热 {1}。',
  'The warm start is not safe: {0} Remove "warm" and approve the hook again.':
    '预热启动不安全：{0} 请去掉 "warm" 并重新批准钩子。',
  'Do not use a warm start: {0}': '请不要使用预热启动：{0}',
  '"warm: true" would cut {0} to {1}. It is safe: the hook does nothing before it reads its input.':
    '"warm: true" 能把 {0} 缩短到 {1}。这是安全的：钩子在读取输入之前什么都不做。',
}
