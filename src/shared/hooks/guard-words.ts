import { joinProse, keyOf, prose, type Prose } from '../../core/model/chat/prose.ts'
import { heardWords } from '../said/our-words.ts'

/**
 * What the guard of commands says: what a command would do, in words for a person who does not read commands.
 */
const sayings = {
  deletesAll: () => `It deletes everything on this machine.`,
  deletesHome: () => `It deletes a whole home folder.`,
  deletesSystem: (about: string) => `It deletes ${about}, which the system needs.`,
  deletesProject: () => `It deletes the whole project folder.`,
  deletesOutside: (about: string) =>
    `It deletes the folder ${about} with all that is in it. The folder is outside of the project.`,
  deletesFileOutside: (about: string) => `It deletes the file ${about}, which is outside of the project.`,
  copiesSystem: (about: string) => `It copies a file that says who may do what: ${about}.`,
  deletesFolder: (about: string) =>
    `It deletes ${about} with all that is in it. Git cannot bring back what was not committed.`,
  deletesUnknown: (about: string) => `It deletes a folder, and the command does not say which: ${about}.`,
  deletesKey: (about: string) => `It deletes a key or a login: ${about}.`,
  deletesLog: (about: string) => `It deletes records of what happened: ${about}.`,
  deletesRecords: (about: string) => `It deletes the history of the project: ${about}.`,
  deletesDisk: (about: string) => `It deletes the disk ${about}.`,
  deletesFound: (about: string) => `It deletes every file that a search finds in ${about}.`,
  overwritesDisk: (about: string) => `It overwrites the disk ${about}. All that is on it is lost.`,
  formatsDisk: (about: string) => `It formats or erases ${about}. All that is on it is lost.`,
  removesStorage: (about: string) => `It removes storage with all that is in it: ${about}.`,
  wipes: (about: string) => `It overwrites ${about}, so that nothing can bring it back.`,
  empties: (about: string) => `It empties the file ${about}.`,
  movesSystem: (about: string) => `It moves ${about} away.`,
  changesAllRights: (about: string) => `It changes the rights of ${about} and of all that is in it.`,
  replacesByCopy: (about: string) =>
    `It makes ${about} equal to another folder, and deletes all that is only there.`,
  floods: () => `It starts programs without an end, until the machine stands still.`,
  switchesOff: () => `It switches off or restarts the machine.`,
  stopsAll: (about: string) => `It stops programs that it did not start: ${about}.`,
  stopsService: (about: string) => `It stops or removes a service of the machine: ${about}.`,
  removesPackages: (about: string) => `It removes programs from the machine: ${about}.`,
  destroysCloud: (about: string) => `It deletes what runs or is stored in the cloud: ${about}.`,
  destroysCluster: (about: string) => `It deletes what runs in the cluster: ${about}.`,
  destroysContainers: (about: string) => `It deletes containers, images or volumes: ${about}.`,
  destroysData: (about: string) => `It deletes data of a database: ${about}.`,
  destroysProject: (about: string) =>
    `It deletes a project, a repository or a release for everybody: ${about}.`,
  destroysByRequest: (about: string) => `It asks a server to delete something: ${about}.`,
  destroysByTool: (about: string) => `The tool ${about} deletes something for good.`,
  discardsWork: () => `It throws away changes that were not committed. Git cannot bring them back.`,
  discardsFiles: () => `It deletes files that git does not know. Git cannot bring them back.`,
  discardsBranch: (about: string) => `It deletes a branch whose work may be nowhere else: ${about}.`,
  discardsStash: () => `It deletes work that was set aside.`,
  overwritesRemote: () => `It overwrites the history on the server: others can lose their work.`,
  rewritesHistory: () => `It writes the history of the project anew.`,
  forgetsHistory: () => `It deletes old states that git could still bring back.`,
  writesRecords: (about: string) => `It writes into the history of the project: ${about}.`,
  runsDownload: () => `It runs a program that it just loaded from the network.`,
  runsDecoded: () => `It runs a text that it just decoded, which nobody could read before.`,
  runsUnknown: (about: string) => `It runs a text that stands nowhere in the command: ${about}.`,
  loadsCode: (about: string) => `It loads code into other programs: ${about}.`,
  commitsKey: (about: string) => `It puts a key or a password into the history of the project: ${about}.`,
  searchesKeys: (about: string) => `It searches for keys or passwords: ${about}.`,
  opensShell: () => `It gives a shell on this machine to somebody in the network.`,
  opensPort: (about: string) => `It opens this machine to the network: ${about}.`,
  installsUnknown: (about: string) =>
    `It installs a program from an address outside of the usual stores: ${about}.`,
  readsKey: (about: string) => `It reads a place of keys or passwords: ${about}.`,
  writesKey: (about: string) => `It changes a key or a login: ${about}.`,
  printsKey: (about: string) => `It shows keys or passwords: ${about}.`,
  sendsKey: () => `It sends keys or passwords to another machine.`,
  sendsMaybeKey: () => `It sends a file to another machine that can hold a key.`,
  sendsEnvironment: () => `It sends all variables, with the keys in them, to another machine.`,
  sendsFolder: () => `It sends a whole folder to another machine.`,
  watchesFiles: (about: string) => `It watches files that are not of this project: ${about}.`,
  attacks: (about: string) => `It tests or breaks into other machines: ${about}.`,
  appliesCloud: (about: string) =>
    `It changes or removes what runs in the cloud, without a question: ${about}.`,
  watchesTraffic: () => `It listens to the traffic of the network or to the keyboard.`,
  getsRights: (about: string) => `It gives more rights: ${about}.`,
  opensToAll: (about: string) => `Everybody on the machine can change ${about} then.`,
  leavesSandbox: (about: string) => `It starts a program that reaches the whole machine: ${about}.`,
  writesRights: (about: string) => `It changes what the system allows: ${about}.`,
  writesSystem: (about: string) => `It changes a program or a setting of the system: ${about}.`,
  dropsProtection: (about: string) => `It takes a protection away: ${about}.`,
  writesStart: (about: string) => `It changes what runs by itself later: ${about}.`,
  startsLater: (about: string) => `It makes something run by itself later: ${about}.`,
  publishes: () => `It publishes something for everybody. That cannot be taken back.`,
  writesPlaceholder: (about: string) =>
    `It writes "[redacted: …]" into ${about}. That stands for a secret, and the real value would be lost.`,
  tooMuch: () => `The command is too long or too deep to be read.`,
  brokenText: () => `The command has a part that cannot be read.`,
  otherShell: (about: string) =>
    `The command is written for another shell, which cannot be read here: ${about}.`,
} as const satisfies Readonly<Record<string, (about: string) => string>>

export type SayingName = keyof typeof sayings

/** The English sentence. `about`: the file, folder, machine or program that it is about. It can be empty. */
export const sayingText = (name: SayingName, about: string): string =>
  sayings[name](about === '' ? '…' : about)

/** The keys of these sentences in the catalogue. */
const effects: ReadonlySet<string> = new Set(Object.values(sayings).map((say) => say('{0}')))

/** The most places of a line in which the part of a command can begin. */
const maxParts = 12

/** A line of a reason that is ours, and the part of the command behind it. */
interface OwnLine {
  readonly words: Prose
  readonly part: string
}

const saidIn = (line: string): OwnLine | undefined => {
  const said = heardWords(line)
  if (said !== undefined) return { words: said, part: '' }
  if (!line.endsWith(')')) return undefined
  // The part can hold other words in brackets, so the first bracket that fits begins it.
  for (const { index } of [...line.matchAll(/(?<=[.…]) \(/g)].slice(0, maxParts)) {
    const words = heardWords(line.slice(0, index))
    if (words !== undefined) return { words, part: line.slice(index) }
  }
  return undefined
}

/**
 * A line of a reason, as our own hooks and their faults write it. Undefined: it is none of ours. `hasParts`
 * false: the command stands beside it, so no part of it is said once more.
 */
export const ownReason = (line: string, hasParts = true): Prose | undefined => {
  const said = saidIn(line)
  return said === undefined || said.part === '' || !hasParts ? said?.words : prose`${said.words}${said.part}`
}

/** The reason of a hook. What our own hooks and their faults say is in the language of its reader. */
export const reasonProse = (reason: string, hasParts = true): Prose =>
  joinProse(
    reason.split('\n').map((line) => ownReason(line, hasParts) ?? prose`${line}`),
    '\n',
  )

const effectIn = (line: string): string | undefined => {
  const [span] = saidIn(line)?.words ?? []
  const key = span !== undefined && 'template' in span ? keyOf(span.template) : ''
  return effects.has(key) ? key : undefined
}

/** What the guard of commands says in a reason, whatever it is about. Undefined: another hook says it. */
export const effectsIn = (reason: string): string | undefined => {
  const found = reason.split('\n').map(effectIn)
  return found.includes(undefined) ? undefined : found.join('\n')
}
