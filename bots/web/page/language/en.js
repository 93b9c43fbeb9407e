// @ts-check

/**
 * The texts of the page in English. Every language has exactly these keys. A text with a value is a function,
 * so that each language can put the value where it belongs.
 */
export const en = {
  name: 'English',
  skip: 'Skip to the message box',
  newMessages: 'new messages',
  messagesWait: 'messages wait for you',

  connected: 'Connected',
  connecting: 'Connecting …',
  offline: 'Offline. Reconnecting …',
  notOwner: 'Not an owner',
  chat: 'Chat',
  preferences: 'Preferences',
  logOut: 'Log out',
  logOutAll: 'Log out all tabs',
  language: 'Language',

  sessionEnded: 'Your session has ended.',
  loggedOut: 'You are logged out.',
  notSent: (/** @type {string} */ why) => `The message was not sent. ${why}`,
  logOutFailed: (/** @type {string} */ why) => `The log-out failed. ${why}`,
  noKey: 'This browser cannot store the key of the session. Allow this page to store data. Then reload it.',
  noAnswer: 'hookgate did not answer. Is it still running?',
  answered: (/** @type {number} */ status) => `hookgate answered ${status}.`,
  /** The text of an error of the server. Its own English text is right here. */
  error: (/** @type {string} */ _code, /** @type {string} */ text) => text,

  loginBefore: 'To log in, press ',
  loginKey: 'Enter',
  loginAfter: ' in the console where hookgate runs and open the address that it prints.',
  loginOnce: 'Each address works once and expires after 5 minutes.',

  passkeyLogIn: 'Log in with a passkey',
  passkeyHow:
    'If this device has no passkey here yet, send /login to hookgate in a chat of yours and open the link that it answers with.',
  passkeyMake: 'Make the passkey',
  passkeyMakeTitle: 'Make a passkey for this device',
  passkeyMakeHow:
    'With it you log in here later. This device asks for your fingerprint, your face or your PIN. The link that you opened works once.',
  passkeyCancelled: 'No passkey was used. Try again when you are ready.',
  passkeyKnown: 'This device has a passkey for this page already. Log in with it.',
  passkeyMissing: 'This browser has no passkeys. Use a newer one.',
  passkeyFailed: (/** @type {string} */ why) => `The passkey did not work. ${why}`,

  outsiderTitle: 'This page is no owner of the gate',
  outsiderWhy:
    'An owner removed the web page from the owners. So it shows nothing of the gate, and what you type here changes nothing.',
  outsiderHow:
    'To become an owner again, ask an owner to send /pair to hookgate in their chat. Type the code that they get here. They are asked whether it was you.',
  code: 'Pairing code',
  sendCode: 'Send the code',

  noMessagesBefore: 'There are no messages since hookgate started. Write to the agent below, or write ',
  noMessagesAfter: ' to see its hooks.',
  working: 'The agent is working …',
  newest: 'Newest ↓',
  message: 'Message',
  messageHint: 'Message or /hooks',
  reply: 'Reply to the last card. Escape: message to the agent',
  replyHint: 'Your reply to the card (Esc: no reply)',
  send: 'Send',
  edited: 'edited ',
  you: 'you',
  agent: 'agent',
  hookgate: 'hookgate',
  showHidden: 'Show the hidden text',
  forms: { error: 'error', poll: 'poll', location: 'location', contact: 'contact', voice: 'voice' },
  noVote: 'You cannot vote here. Answer with a message.',
  download: 'Download',
  voiceMessage: 'Voice message',
  notShown: 'cannot be shown here',
  notPlayed: 'cannot be played here',
  notStored: 'no longer stored',
  notLoaded: 'could not be loaded because hookgate did not answer',
  notLoadedStatus: (/** @type {number} */ status) => `hookgate answered ${status}`,

  hooks: 'Hooks',
  on: 'On',
  off: 'Off',
  counts: (/** @type {number} */ live, /** @type {number} */ waiting) => `${live} live · ${waiting} waiting`,
  noneRuns: 'no hook runs',
  lockdown: 'Lockdown.',
  unreadable:
    'The hooks could not be read, so this list may be out of date. Write /hooks in the chat to see them.',
  loading: 'Loading the hooks …',
  noHooksBefore: 'There are no hooks yet. Add one to ',
  noHooksAfter: '. It then appears here.',
  hookLabel: (/** @type {string} */ handle) => `Hook ${handle}`,
  approve: 'Approve',
  approveHook: (/** @type {string} */ name) => `Approve ${name}`,
  revoke: 'Revoke',
  revokeHook: (/** @type {string} */ name) => `Revoke ${name}`,
  source: 'Source',
  sourceHook: (/** @type {string} */ name) => `Source of ${name}`,
  whatChanged: 'What changed',
  whatChangedHook: (/** @type {string} */ name) => `What changed in ${name}`,
  buttonOf: (/** @type {string} */ label, /** @type {string} */ name) => `${label} ${name}`,
  answer: 'Answer of hookgate',

  close: 'Close',
  loadingSource: 'Loading the files …',
  changedSince: 'Changed since you approved it',
  sealedFiles: 'These are the files that you approved. Exactly they run.',
  proposedFiles: 'These are the files as they are now. An approval seals exactly them.',
  noFiles: 'This hook has no files to show.',
  fileFacts: (/** @type {string} */ size, /** @type {string} */ digest) => `${size} · SHA-256 ${digest}`,
  binaryFile: 'It is not text, so it cannot be shown.',
  unreadableFile: 'It cannot be read now, or it is changing.',
  tooMuchFile: 'It is not shown, because the files before it are long.',
  partOfFile: (/** @type {string} */ shown, /** @type {string} */ left) =>
    `Only the first ${shown} characters are shown. ${left} more follow. Read them in the file before you approve it.`,

  revokeTitle: (/** @type {string} */ name) => `Revoke ${name}?`,
  revokeWhy:
    'It then judges nothing any more, from the next step of the agent on. You can approve it again later.',
  keep: 'Keep it',

  heldTitle: 'Waiting for your decision',
  heldLabel: (/** @type {string} */ handle) => `Message ${handle}`,
  heldText: 'Text of the message',
  release: 'Release',
  withhold: 'Withhold',
  heldMoreOne: '1 more message waits. Answer some of these to see more.',
  heldMore: (/** @type {number} */ count) => `${count} more messages wait. Answer some of these to see more.`,
  parts: { file: 'file', button: 'button', link: 'link', option: 'option' },
  part: (/** @type {string} */ what, /** @type {number} */ at) => `${what} ${at}`,
  partAddress: (/** @type {string} */ what, /** @type {number} */ at) => `${what} ${at} address`,

  wechatLogin: 'WeChat login',
  wechatScan: 'Scan this code with WeChat to log the bot in.',
  wechatOpen:
    'Open this address on a computer. Then scan the code that it shows with WeChat to log the bot in.',

  notifyMe: 'Notify me',
  notifyOff: 'Stop notifying me',
  notifyWhen: 'hookgate then notifies you on this device while this page is open and out of sight.',
  notifyRefused:
    'This browser does not let the page notify you. Allow notifications for it in the settings of the browser.',
  notifyCard: 'hookgate asks you',
  notifyTold: 'hookgate',
  notifyAgent: 'The agent',
}
