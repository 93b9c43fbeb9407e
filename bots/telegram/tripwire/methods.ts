import type { RawApi } from 'grammy'

/**
 * - `free`: the bot itself needs the method. The tripwire allows only payloads that cannot carry an agent's
 * text.
 * - `minted`: the method sends a form of a push. The tripwire allows only a payload that `deliver` minted for
 * this
 *   method.
 * - `never`: the tripwire refuses the method. Code that needs it has to change its class here and say which
 *   payloads it may have.
 */
export type MethodClass = 'free' | 'minted' | 'never'

/**
 * Every method of the installed Bot API types. A method that an upgrade adds fails the type check here until
 * somebody gives it a class.
 */
export const methods = {
  // The bot itself needs these.
  getUpdates: 'free',
  getMe: 'free',
  setMyCommands: 'free',
  sendChatAction: 'free',
  getChat: 'free',
  answerCallbackQuery: 'free',
  getFile: 'free',
  // These say where Telegram sends the updates.
  setWebhook: 'free',
  deleteWebhook: 'free',
  getWebhookInfo: 'free',

  // These send a form of a push or pin a notice.
  sendMessage: 'minted',
  editMessageText: 'minted',
  sendMessageDraft: 'minted',
  sendPhoto: 'minted',
  sendDocument: 'minted',
  sendVoice: 'minted',
  sendMediaGroup: 'minted',
  sendLocation: 'minted',
  sendVenue: 'minted',
  sendContact: 'minted',
  sendPoll: 'minted',
  setMessageReaction: 'minted',
  createForumTopic: 'minted',
  pinChatMessage: 'minted',

  // These end the connection.
  logOut: 'never',
  close: 'never',

  // These can carry text, sound or pictures, and no form of a push uses them.
  editMessageReplyMarkup: 'never',
  sendAudio: 'never',
  sendVideo: 'never',
  sendAnimation: 'never',
  sendVideoNote: 'never',
  editMessageCaption: 'never',
  editMessageMedia: 'never',
  editMessageLiveLocation: 'never',
  stopMessageLiveLocation: 'never',
  stopPoll: 'never',
  editForumTopic: 'never',
  forwardMessage: 'never',
  forwardMessages: 'never',
  copyMessage: 'never',
  copyMessages: 'never',
  sendRichMessage: 'never',
  sendRichMessageDraft: 'never',
  sendLivePhoto: 'never',
  sendChecklist: 'never',
  editMessageChecklist: 'never',
  sendDice: 'never',
  sendSticker: 'never',
  sendGame: 'never',
  setGameScore: 'never',
  getGameHighScores: 'never',
  editEphemeralMessageText: 'never',
  editEphemeralMessageMedia: 'never',
  editEphemeralMessageCaption: 'never',
  editEphemeralMessageReplyMarkup: 'never',
  deleteEphemeralMessage: 'never',

  // These answer requests that hookgate does not serve.
  answerInlineQuery: 'never',
  answerWebAppQuery: 'never',
  answerGuestQuery: 'never',
  savePreparedInlineMessage: 'never',
  savePreparedKeyboardButton: 'never',
  answerChatJoinRequestQuery: 'never',
  sendChatJoinRequestWebApp: 'never',
  setPassportDataErrors: 'never',

  // These delete messages or reactions.
  deleteMessage: 'never',
  deleteMessages: 'never',
  deleteMessageReaction: 'never',
  deleteAllMessageReactions: 'never',

  // These change or read a chat and its members.
  banChatMember: 'never',
  kickChatMember: 'never',
  unbanChatMember: 'never',
  restrictChatMember: 'never',
  promoteChatMember: 'never',
  setChatAdministratorCustomTitle: 'never',
  setChatMemberTag: 'never',
  banChatSenderChat: 'never',
  unbanChatSenderChat: 'never',
  setChatPermissions: 'never',
  exportChatInviteLink: 'never',
  createChatInviteLink: 'never',
  editChatInviteLink: 'never',
  createChatSubscriptionInviteLink: 'never',
  editChatSubscriptionInviteLink: 'never',
  revokeChatInviteLink: 'never',
  approveChatJoinRequest: 'never',
  declineChatJoinRequest: 'never',
  approveSuggestedPost: 'never',
  declineSuggestedPost: 'never',
  setChatPhoto: 'never',
  deleteChatPhoto: 'never',
  setChatTitle: 'never',
  setChatDescription: 'never',
  setChatStickerSet: 'never',
  deleteChatStickerSet: 'never',
  unpinChatMessage: 'never',
  unpinAllChatMessages: 'never',
  leaveChat: 'never',
  getChatAdministrators: 'never',
  getChatMemberCount: 'never',
  getChatMembersCount: 'never',
  getChatMember: 'never',
  getUserChatBoosts: 'never',
  getUserProfilePhotos: 'never',
  getUserProfileAudios: 'never',
  getUserPersonalChatMessages: 'never',
  setUserEmojiStatus: 'never',
  verifyUser: 'never',
  verifyChat: 'never',
  removeUserVerification: 'never',
  removeChatVerification: 'never',

  // These change topics. Only the name of a new topic is judged, so only createForumTopic is allowed.
  getForumTopicIconStickers: 'never',
  closeForumTopic: 'never',
  reopenForumTopic: 'never',
  deleteForumTopic: 'never',
  unpinAllForumTopicMessages: 'never',
  editGeneralForumTopic: 'never',
  closeGeneralForumTopic: 'never',
  reopenGeneralForumTopic: 'never',
  hideGeneralForumTopic: 'never',
  unhideGeneralForumTopic: 'never',
  unpinAllGeneralForumTopicMessages: 'never',

  // These change the bot's public profile or the bots that it manages.
  deleteMyCommands: 'never',
  getMyCommands: 'never',
  setMyName: 'never',
  getMyName: 'never',
  setMyDescription: 'never',
  getMyDescription: 'never',
  setMyShortDescription: 'never',
  getMyShortDescription: 'never',
  setMyProfilePhoto: 'never',
  removeMyProfilePhoto: 'never',
  setChatMenuButton: 'never',
  getChatMenuButton: 'never',
  setMyDefaultAdministratorRights: 'never',
  getMyDefaultAdministratorRights: 'never',
  getManagedBotToken: 'never',
  replaceManagedBotToken: 'never',
  getManagedBotAccessSettings: 'never',
  setManagedBotAccessSettings: 'never',

  // These act for business accounts or post stories.
  getBusinessConnection: 'never',
  readBusinessMessage: 'never',
  deleteBusinessMessages: 'never',
  setBusinessAccountName: 'never',
  setBusinessAccountUsername: 'never',
  setBusinessAccountBio: 'never',
  setBusinessAccountProfilePhoto: 'never',
  removeBusinessAccountProfilePhoto: 'never',
  setBusinessAccountGiftSettings: 'never',
  getBusinessAccountStarBalance: 'never',
  transferBusinessAccountStars: 'never',
  getBusinessAccountGifts: 'never',
  postStory: 'never',
  repostStory: 'never',
  editStory: 'never',
  deleteStory: 'never',

  // These handle gifts and payments.
  getAvailableGifts: 'never',
  sendGift: 'never',
  giftPremiumSubscription: 'never',
  getUserGifts: 'never',
  getChatGifts: 'never',
  convertGiftToStars: 'never',
  upgradeGift: 'never',
  transferGift: 'never',
  getMyStarBalance: 'never',
  sendPaidMedia: 'never',
  sendInvoice: 'never',
  createInvoiceLink: 'never',
  answerShippingQuery: 'never',
  answerPreCheckoutQuery: 'never',
  getStarTransactions: 'never',
  refundStarPayment: 'never',
  editUserStarSubscription: 'never',

  // These handle sticker sets.
  getStickerSet: 'never',
  getCustomEmojiStickers: 'never',
  uploadStickerFile: 'never',
  createNewStickerSet: 'never',
  addStickerToSet: 'never',
  setStickerPositionInSet: 'never',
  deleteStickerFromSet: 'never',
  replaceStickerInSet: 'never',
  setStickerEmojiList: 'never',
  setStickerKeywords: 'never',
  setStickerMaskPosition: 'never',
  setStickerSetTitle: 'never',
  deleteStickerSet: 'never',
  setStickerSetThumbnail: 'never',
  setCustomEmojiStickerSetThumbnail: 'never',
} as const satisfies Record<keyof RawApi, MethodClass>

export type MethodName = keyof typeof methods
export type FreeMethod = { [M in MethodName]: (typeof methods)[M] extends 'free' ? M : never }[MethodName]

export const isMethod = (name: unknown): name is MethodName =>
  typeof name === 'string' && Object.hasOwn(methods, name)
