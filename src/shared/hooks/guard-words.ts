import { prose, type Prose, proseText, type Template } from '../../core/model/chat/prose.ts'

/**
 * What the guard of commands says: what a command would do, in words for a person who does not read commands.
 * Each has a translation, so a card shows it in the language of its reader.
 */
const sayings = {
  deletesAll: () => prose`It deletes everything on this machine.`,
  deletesHome: () => prose`It deletes a whole home folder.`,
  deletesSystem: (about: string) => prose`It deletes ${about}, which the system needs.`,
  deletesProject: () => prose`It deletes the whole project folder.`,
  deletesOutside: (about: string) =>
    prose`It deletes the folder ${about} with all that is in it. The folder is outside of the project.`,
  deletesFileOutside: (about: string) =>
    prose`It deletes the file ${about}, which is outside of the project.`,
  copiesSystem: (about: string) => prose`It copies a file that says who may do what: ${about}.`,
  deletesFolder: (about: string) =>
    prose`It deletes ${about} with all that is in it. Git cannot bring back what was not committed.`,
  deletesUnknown: (about: string) =>
    prose`It deletes a folder, and the command does not say which: ${about}.`,
  deletesKey: (about: string) => prose`It deletes a key or a login: ${about}.`,
  deletesLog: (about: string) => prose`It deletes records of what happened: ${about}.`,
  deletesRecords: (about: string) => prose`It deletes the history of the project: ${about}.`,
  deletesDisk: (about: string) => prose`It deletes the disk ${about}.`,
  deletesFound: (about: string) => prose`It deletes every file that a search finds in ${about}.`,
  overwritesDisk: (about: string) => prose`It overwrites the disk ${about}. All that is on it is lost.`,
  formatsDisk: (about: string) => prose`It formats or erases ${about}. All that is on it is lost.`,
  removesStorage: (about: string) => prose`It removes storage with all that is in it: ${about}.`,
  wipes: (about: string) => prose`It overwrites ${about}, so that nothing can bring it back.`,
  empties: (about: string) => prose`It empties the file ${about}.`,
  movesSystem: (about: string) => prose`It moves ${about} away.`,
  changesAllRights: (about: string) => prose`It changes the rights of ${about} and of all that is in it.`,
  replacesByCopy: (about: string) =>
    prose`It makes ${about} equal to another folder, and deletes all that is only there.`,
  floods: () => prose`It starts programs without an end, until the machine stands still.`,
  switchesOff: () => prose`It switches off or restarts the machine.`,
  stopsAll: (about: string) => prose`It stops programs that it did not start: ${about}.`,
  stopsService: (about: string) => prose`It stops or removes a service of the machine: ${about}.`,
  removesPackages: (about: string) => prose`It removes programs from the machine: ${about}.`,
  destroysCloud: (about: string) => prose`It deletes what runs or is stored in the cloud: ${about}.`,
  destroysCluster: (about: string) => prose`It deletes what runs in the cluster: ${about}.`,
  destroysContainers: (about: string) => prose`It deletes containers, images or volumes: ${about}.`,
  destroysData: (about: string) => prose`It deletes data of a database: ${about}.`,
  destroysProject: (about: string) =>
    prose`It deletes a project, a repository or a release for everybody: ${about}.`,
  destroysByRequest: (about: string) => prose`It asks a server to delete something: ${about}.`,
  destroysByTool: (about: string) => prose`The tool ${about} deletes something for good.`,
  discardsWork: () => prose`It throws away changes that were not committed. Git cannot bring them back.`,
  discardsFiles: () => prose`It deletes files that git does not know. Git cannot bring them back.`,
  discardsBranch: (about: string) => prose`It deletes a branch whose work may be nowhere else: ${about}.`,
  discardsStash: () => prose`It deletes work that was set aside.`,
  overwritesRemote: () => prose`It overwrites the history on the server: others can lose their work.`,
  rewritesHistory: () => prose`It writes the history of the project anew.`,
  forgetsHistory: () => prose`It deletes old states that git could still bring back.`,
  writesRecords: (about: string) => prose`It writes into the history of the project: ${about}.`,
  runsDownload: () => prose`It runs a program that it just loaded from the network.`,
  runsDecoded: () => prose`It runs a text that it just decoded, which nobody could read before.`,
  runsUnknown: (about: string) => prose`It runs a text that stands nowhere in the command: ${about}.`,
  loadsCode: (about: string) => prose`It loads code into other programs: ${about}.`,
  commitsKey: (about: string) =>
    prose`It puts a key or a password into the history of the project: ${about}.`,
  searchesKeys: (about: string) => prose`It searches for keys or passwords: ${about}.`,
  opensShell: () => prose`It gives a shell on this machine to somebody in the network.`,
  opensPort: (about: string) => prose`It opens this machine to the network: ${about}.`,
  installsUnknown: (about: string) =>
    prose`It installs a program from an address outside of the usual stores: ${about}.`,
  readsKey: (about: string) => prose`It reads a place of keys or passwords: ${about}.`,
  writesKey: (about: string) => prose`It changes a key or a login: ${about}.`,
  printsKey: (about: string) => prose`It shows keys or passwords: ${about}.`,
  sendsKey: () => prose`It sends keys or passwords to another machine.`,
  sendsMaybeKey: () => prose`It sends a file to another machine that can hold a key.`,
  sendsEnvironment: () => prose`It sends all variables, with the keys in them, to another machine.`,
  sendsFolder: () => prose`It sends a whole folder to another machine.`,
  watchesFiles: (about: string) => prose`It watches files that are not of this project: ${about}.`,
  attacks: (about: string) => prose`It tests or breaks into other machines: ${about}.`,
  appliesCloud: (about: string) =>
    prose`It changes or removes what runs in the cloud, without a question: ${about}.`,
  watchesTraffic: () => prose`It listens to the traffic of the network or to the keyboard.`,
  getsRights: (about: string) => prose`It gives more rights: ${about}.`,
  opensToAll: (about: string) => prose`Everybody on the machine can change ${about} then.`,
  leavesSandbox: (about: string) => prose`It starts a program that reaches the whole machine: ${about}.`,
  writesRights: (about: string) => prose`It changes what the system allows: ${about}.`,
  writesSystem: (about: string) => prose`It changes a program or a setting of the system: ${about}.`,
  dropsProtection: (about: string) => prose`It takes a protection away: ${about}.`,
  writesStart: (about: string) => prose`It changes what runs by itself later: ${about}.`,
  startsLater: (about: string) => prose`It makes something run by itself later: ${about}.`,
  publishes: () => prose`It publishes something for everybody. That cannot be taken back.`,
  writesPlaceholder: (about: string) =>
    prose`It writes "[redacted: …]" into ${about}. That stands for a secret, and the real value would be lost.`,
  tooMuch: () => prose`The command is too long or too deep to be read.`,
  brokenText: () => prose`The command has a part that cannot be read.`,
  otherShell: (about: string) =>
    prose`The command is written for another shell, which cannot be read here: ${about}.`,
} as const satisfies Readonly<Record<string, (about: string) => Prose>>

export type SayingName = keyof typeof sayings

/** The English sentence. `about`: the file, folder, machine or program that it is about. It can be empty. */
export const sayingText = (name: SayingName, about: string): string =>
  proseText(sayings[name](about === '' ? '…' : about))

const patterns = Object.values(sayings).map((say) => {
  const [span] = say('')
  const { template } = span as Template
  return { say, before: template[0] ?? '', after: template[1] }
})

/** The part of the command stands behind the sentence. */
const part = /^(?: \(.*\))?$/s

/** A line of a reason as prose: a sentence of the guard can be translated, other words are a quote. */
const proseOfLine = (line: string): Prose => {
  for (const { say, before, after = '' } of patterns) {
    if (!line.startsWith(before)) continue
    // What it is about can hold the words behind it.
    for (let end = line.indexOf(after, before.length); end >= 0; end = line.indexOf(after, end + 1)) {
      const rest = line.slice(end + after.length)
      if (part.test(rest)) return prose`${say(line.slice(before.length, end))}${rest}`
      if (after === '') break
    }
  }
  return prose`${line}`
}

/** The reason of a hook as prose. What the guard of commands says is in the language of its reader. */
export const reasonProse = (reason: string): Prose => {
  const lines = reason.split('\n').map(proseOfLine)
  return lines.flatMap((line, index) => (index === 0 ? line : [{ fixed: '\n' }, ...line]))
}
