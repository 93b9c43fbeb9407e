import type { Language } from '../../../model/chat/language.ts'

/** What a person reads. `{}` stands for the file, folder, program or machine. */
export const sentences = {
  deletesAll: ['It deletes everything on this machine.', '它会删除这台机器上的所有内容。'],
  deletesHome: ['It deletes a whole home folder.', '它会删除整个主文件夹。'],
  deletesSystem: ['It deletes {}, which the system needs.', '它会删除系统需要的 {}。'],
  deletesProject: ['It deletes the whole project folder.', '它会删除整个项目文件夹。'],
  deletesOutside: [
    'It deletes the folder {} with all that is in it. The folder is outside of the project.',
    '它会删除项目之外的文件夹 {} 及其中的所有内容。',
  ],
  deletesFolder: [
    'It deletes {} with all that is in it. Git cannot bring back what was not committed.',
    '它会删除 {} 及其中的所有内容。未提交的内容无法用 git 恢复。',
  ],
  deletesUnknown: [
    'It deletes a folder, and the command does not say which: {}.',
    '它会删除一个文件夹，但命令没有写明是哪一个：{}。',
  ],
  deletesKey: ['It deletes a key or a login: {}.', '它会删除密钥或登录信息：{}。'],
  deletesLog: ['It deletes records of what happened: {}.', '它会删除运行记录：{}。'],
  deletesRecords: ['It deletes the history of the project: {}.', '它会删除项目的历史记录：{}。'],
  deletesDisk: ['It deletes the disk {}.', '它会删除磁盘 {}。'],
  deletesFound: ['It deletes every file that a search finds in {}.', '它会删除在 {} 中搜索到的所有文件。'],
  overwritesDisk: [
    'It overwrites the disk {}. All that is on it is lost.',
    '它会覆盖磁盘 {}，其中的所有内容都会丢失。',
  ],
  formatsDisk: [
    'It formats or erases {}. All that is on it is lost.',
    '它会格式化或清除 {}，其中的所有内容都会丢失。',
  ],
  removesStorage: ['It removes storage with all that is in it: {}.', '它会移除存储及其中的所有内容：{}。'],
  wipes: ['It overwrites {}, so that nothing can bring it back.', '它会覆盖 {}，无法再恢复。'],
  empties: ['It empties the file {}.', '它会清空文件 {}。'],
  movesSystem: ['It moves {} away.', '它会移走 {}。'],
  changesAllRights: [
    'It changes the rights of {} and of all that is in it.',
    '它会更改 {} 及其中所有内容的权限。',
  ],
  replacesByCopy: [
    'It makes {} equal to another folder, and deletes all that is only there.',
    '它会让 {} 与另一个文件夹相同，并删除只存在于其中的内容。',
  ],
  floods: [
    'It starts programs without an end, until the machine stands still.',
    '它会不停地启动程序，直到机器无法工作。',
  ],
  switchesOff: ['It switches off or restarts the machine.', '它会关闭或重启机器。'],
  stopsAll: ['It stops programs that it did not start: {}.', '它会停止并非由它启动的程序：{}。'],
  stopsService: ['It stops or removes a service of the machine: {}.', '它会停止或移除机器上的服务：{}。'],
  removesPackages: ['It removes programs from the machine: {}.', '它会从机器上移除程序：{}。'],
  destroysCloud: [
    'It deletes what runs or is stored in the cloud: {}.',
    '它会删除云端运行或存储的内容：{}。',
  ],
  destroysCluster: ['It deletes what runs in the cluster: {}.', '它会删除集群中运行的内容：{}。'],
  destroysContainers: ['It deletes containers, images or volumes: {}.', '它会删除容器、镜像或数据卷：{}。'],
  destroysData: ['It deletes data of a database: {}.', '它会删除数据库中的数据：{}。'],
  destroysProject: [
    'It deletes a project, a repository or a release for everybody: {}.',
    '它会为所有人删除项目、代码库或发布版本：{}。',
  ],
  destroysByRequest: ['It asks a server to delete something: {}.', '它会请求服务器删除内容：{}。'],
  destroysByTool: ['The tool {} deletes something for good.', '工具 {} 会永久删除内容。'],
  discardsWork: [
    'It throws away changes that were not committed. Git cannot bring them back.',
    '它会丢弃未提交的修改，git 无法恢复。',
  ],
  discardsFiles: [
    'It deletes files that git does not know. Git cannot bring them back.',
    '它会删除 git 未跟踪的文件，git 无法恢复。',
  ],
  discardsBranch: [
    'It deletes a branch whose work may be nowhere else: {}.',
    '它会删除分支 {}，其中的工作可能没有其他副本。',
  ],
  discardsStash: ['It deletes work that was set aside.', '它会删除暂存起来的工作。'],
  overwritesRemote: [
    'It overwrites the history on the server: others can lose their work.',
    '它会覆盖服务器上的历史，其他人可能会丢失工作。',
  ],
  rewritesHistory: ['It writes the history of the project anew.', '它会改写项目的历史。'],
  forgetsHistory: [
    'It deletes old states that git could still bring back.',
    '它会删除 git 原本还能恢复的旧状态。',
  ],
  writesRecords: ['It writes into the history of the project: {}.', '它会写入项目的历史记录：{}。'],
  runsDownload: ['It runs a program that it just loaded from the network.', '它会运行刚从网络下载的程序。'],
  runsDecoded: [
    'It runs a text that it just decoded, which nobody could read before.',
    '它会运行刚解码出来、此前无人能读的内容。',
  ],
  runsUnknown: [
    'It runs a text that stands nowhere in the command: {}.',
    '它会运行命令中没有写出的内容：{}。',
  ],
  loadsCode: ['It loads code into other programs: {}.', '它会把代码加载到其他程序中：{}。'],
  commitsKey: [
    'It puts a key or a password into the history of the project: {}.',
    '它会把密钥或密码放入项目历史：{}。',
  ],
  searchesKeys: ['It searches for keys or passwords: {}.', '它会搜索密钥或密码：{}。'],
  opensShell: [
    'It gives a shell on this machine to somebody in the network.',
    '它会把这台机器的命令行交给网络上的人。',
  ],
  opensPort: ['It opens this machine to the network: {}.', '它会向网络开放这台机器：{}。'],
  installsUnknown: [
    'It installs a program from an address outside of the usual stores: {}.',
    '它会从常用软件库之外的地址安装程序：{}。',
  ],
  readsKey: ['It reads a place of keys or passwords: {}.', '它会读取存放密钥或密码的位置：{}。'],
  writesKey: ['It changes a key or a login: {}.', '它会更改密钥或登录信息：{}。'],
  printsKey: ['It shows keys or passwords: {}.', '它会显示密钥或密码：{}。'],
  sendsKey: ['It sends keys or passwords to another machine.', '它会把密钥或密码发送到另一台机器。'],
  sendsMaybeKey: [
    'It sends a file to another machine that can hold a key.',
    '它会把可能含有密钥的文件发送到另一台机器。',
  ],
  sendsEnvironment: [
    'It sends all variables, with the keys in them, to another machine.',
    '它会把所有环境变量及其中的密钥发送到另一台机器。',
  ],
  sendsFolder: ['It sends a whole folder to another machine.', '它会把整个文件夹发送到另一台机器。'],
  watchesFiles: ['It watches files that are not of this project: {}.', '它会监视不属于本项目的文件：{}。'],
  attacks: ['It tests or breaks into other machines: {}.', '它会扫描或攻击其他机器：{}。'],
  appliesCloud: [
    'It changes or removes what runs in the cloud, without a question: {}.',
    '它会不经确认地更改或移除云端资源：{}。',
  ],
  watchesTraffic: [
    'It listens to the traffic of the network or to the keyboard.',
    '它会监听网络流量或键盘输入。',
  ],
  getsRights: ['It gives more rights: {}.', '它会授予更多权限：{}。'],
  opensToAll: ['Everybody on the machine can change {} then.', '之后机器上的任何人都可以更改 {}。'],
  leavesSandbox: [
    'It starts a program that reaches the whole machine: {}.',
    '它会启动可以访问整台机器的程序：{}。',
  ],
  writesRights: ['It changes what the system allows: {}.', '它会更改系统的权限设置：{}。'],
  writesSystem: ['It changes a program or a setting of the system: {}.', '它会更改系统的程序或设置：{}。'],
  dropsProtection: ['It takes a protection away: {}.', '它会取消一项保护：{}。'],
  writesStart: ['It changes what runs by itself later: {}.', '它会更改以后会自动运行的内容：{}。'],
  startsLater: ['It makes something run by itself later: {}.', '它会让某些内容以后自动运行：{}。'],
  publishes: [
    'It publishes something for everybody. That cannot be taken back.',
    '它会公开发布内容，无法撤回。',
  ],
  writesPlaceholder: [
    'It writes the text "[redacted: …]" into {}. That is the sign for a secret, and the real value would be lost.',
    '它会把 "[redacted: …]" 写入 {}。这是密钥的占位符，真实的值会丢失。',
  ],
  tooMuch: ['The command is too long or too deep to be read.', '该命令太长或嵌套太深，无法读取。'],
  tooDeep: ['The command is nested too deeply to be read.', '该命令嵌套太深，无法读取。'],
  brokenText: ['The command has a part that cannot be read.', '该命令有一部分无法读取。'],
  otherShell: [
    'The command is written for another shell, which cannot be read here: {}.',
    '该命令是为其他 shell 编写的，此处无法读取：{}。',
  ],
} as const satisfies Readonly<Record<string, readonly [en: string, zh: string]>>

export type SentenceName = keyof typeof sentences

export const sentence = (name: SentenceName, about: string, language: Language): string =>
  sentences[name][language === 'zh' ? 1 : 0].replace('{}', () => (about === '' ? '…' : about))
