import { type Call, createCall } from '../../call.ts'
import { forked } from '../../machine.ts'
import { literal, textsOf } from '../../reading/value.ts'

const dockerOptions =
  '+H= context= c= config= l= tls tlscacert= e= env= env-file= u= user= w= workdir= v= volume= mount= p= ' +
  'publish= name= network= net= label= m= memory= cpus= entrypoint= h= hostname= add-host= device= ' +
  'cap-add= cap-drop= security-opt= restart= platform= pull= ulimit= shm-size= tmpfs= pid= ipc= userns= ' +
  'uts= gpus= log-driver= privileged a= index= f= file= p= project-name= profile= n= namespace= ' +
  'container= kubeconfig= cluster='

/** `docker run …`, `docker exec …`, `kubectl exec …` start a program where its folders are not ours. */
export const startsInContainer = (call: Call): void => {
  const { words, texts } = call
  const verbAt = texts.findIndex((text) => /^(?:run|exec|create|shell|ssh|rsh|debug)$/.test(text))
  if (verbAt < 0 || verbAt > 8) return
  const inside = createCall(call.name, words.slice(verbAt + 1), dockerOptions, {
    ...call,
    state: { ...forked(call.state), folder: literal('/'), files: new Map() },
    given: undefined,
  })
  const mounts = inside.values('v volume mount').flatMap(({ texts }) => texts)
  const hostMount = mounts.find((text) =>
    /^\/:|(?:source|src)=\/(?:,|$)|docker\.sock|^\/(?:etc|root|var\/run|proc|sys|boot|dev):/.test(text),
  )
  const isOfHost = (text: string): boolean => /^(?:host|ALL|SYS_ADMIN|SYS_PTRACE)$/i.test(text)
  if (
    inside.has('privileged') ||
    hostMount !== undefined ||
    textsOf(inside.values('pid cap-add userns')).some(isOfHost)
  )
    call.find('privilege', 'leavesSandbox', hostMount ?? '--privileged')
  const dashes = texts.indexOf('--')
  const isPod = /^(?:kubectl|oc|k|nomad|flyctl|fly)$/.test(call.name)
  const program = isPod && dashes > verbAt ? words.slice(dashes + 1) : inside.operands.slice(1)
  const isThrownAway =
    /^(?:docker|podman|nerdctl)$/.test(call.name) && texts[verbAt] === 'run' && mounts.length === 0
  if (inside.operands.length > 0 && program.length > 0 && !isThrownAway)
    inside.runs([...inside.values('entrypoint').slice(0, 1), ...program])
}
