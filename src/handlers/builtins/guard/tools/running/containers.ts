import { readWords } from '../../reading/options.ts'
import { type Call, withState } from '../../call.ts'
import { forked } from '../../machine.ts'
import { literal, open, textOf, type Value } from '../../reading/value.ts'

/** A program in a container or on another machine: its folders are not ours. */
const inContainer = (call: Call, words: readonly Value[]): Value =>
  withState(call, { ...forked(call.state), folder: literal('/'), files: new Map() }).runs(words)

const dockerOptions =
  '+H= context= c= config= l= tls tlscacert= e= env= env-file= u= user= w= workdir= v= volume= mount= p= ' +
  'publish= name= network= net= label= m= memory= cpus= entrypoint= h= hostname= add-host= device= ' +
  'cap-add= cap-drop= security-opt= restart= platform= pull= ulimit= shm-size= tmpfs= pid= ipc= userns= ' +
  'uts= gpus= log-driver= privileged a= index= f= file= p= project-name= profile= n= namespace= ' +
  'container= kubeconfig= cluster='

/** `docker run …`, `docker exec …`, `kubectl exec …`: undefined where the program starts nothing. */
export const startsInContainer = (call: Call): Value | undefined => {
  const words = call.words
  const verbAt = words.findIndex((word) => /^(?:run|exec|create|shell|ssh|rsh|debug)$/.test(textOf(word)))
  if (verbAt < 0 || verbAt > 8) return undefined
  const { options, operands } = readWords(words.slice(verbAt + 1), dockerOptions)
  const has = (name: string): boolean => options.has(name)
  const mounts = [
    ...(options.get('v') ?? []),
    ...(options.get('volume') ?? []),
    ...(options.get('mount') ?? []),
  ].flatMap(({ texts }) => texts)
  const hostMount = mounts.find((text) =>
    /^\/:|(?:source|src)=\/(?:,|$)|docker\.sock|^\/(?:etc|root|var\/run|proc|sys|boot|dev):/.test(text),
  )
  if (
    has('privileged') ||
    hostMount !== undefined ||
    [...(options.get('pid') ?? []), ...(options.get('cap-add') ?? []), ...(options.get('userns') ?? [])].some(
      ({ texts: [text = ''] }) => /^(?:host|ALL|SYS_ADMIN|SYS_PTRACE)$/i.test(text),
    )
  )
    call.find('privilege', 'leavesSandbox', hostMount ?? '--privileged')
  const image = operands[0]
  const dashes = words.findIndex(({ texts }) => texts[0] === '--')
  const isPod = /^(?:kubectl|oc|k|nomad|flyctl|fly)$/.test(call.name)
  const inner = isPod && dashes > verbAt ? words.slice(dashes + 1) : operands.slice(1)
  if (image === undefined || inner.length === 0) return open()
  const entry = options.get('entrypoint')?.[0]
  const isThrownAway =
    /^(?:docker|podman|nerdctl)$/.test(call.name) && words[verbAt]?.texts[0] === 'run' && mounts.length === 0
  if (isThrownAway) return open()
  return inContainer(call, entry === undefined ? inner : [entry, ...inner])
}
