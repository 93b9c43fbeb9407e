/**
 * What reaches people in wechaty-puppet-mock and in every puppet, as it was read in their sources, and not as
 * methods.ts has it.
 */
export const waysOut = (
  '_messageSend contactAlias contactAvatar contactCorporationRemark contactDescription contactPhone contactSelfName contactSelfSignature ' +
  'conversationReadMark ding friendshipAccept friendshipAdd friendshipSearch friendshipSearchPhone friendshipSearchWeixin messageForward messageRecall messageSend messageSendContact ' +
  'messageSendFile messageSendLocation messageSendMiniProgram messageSendText messageSendUrl postPublish roomAdd roomAnnounce roomCreate ' +
  'roomDel roomInvitationAccept roomQuit roomTopic tagContactAdd tagContactDelete tagContactRemove tap'
).split(' ')

/** Those that read unless a value stands at this place. */
const readWithout: Readonly<Record<string, number>> = {
  contactAlias: 1,
  contactAvatar: 1,
  contactPhone: 1,
  conversationReadMark: 1,
  roomAnnounce: 1,
  roomTopic: 1,
  ding: 0,
}

export const isWayOut = (name: string, args: readonly unknown[]): boolean =>
  waysOut.includes(name) && (readWithout[name] === undefined || args[readWithout[name]] !== undefined)

/** The methods of every prototype, up to the language's own. */
export const namesOf = (puppet: object): readonly string[] => {
  const names = new Set<string>()
  for (
    let at = Reflect.getPrototypeOf(puppet);
    at !== null && at !== Object.prototype;
    at = Reflect.getPrototypeOf(at)
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && name !== 'constructor') names.add(name)
  }
  return [...names].sort()
}
