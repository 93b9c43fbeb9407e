/** How many of the latest sent texts are remembered. */
const MAX_REMEMBERED = 256

/**
 * WeChat also delivers the account's own messages to the bot. This recognizes the texts that hookgate sent,
 * so that they are ignored. A text that the account's owner typed on another device is not ignored. An echo
 * that arrives late or changed counts as typed. It still has the origin `self`, so it is never a command.
 */
export const createEchoes = (): {
  expect(chatId: string, text: string): void
  isEcho(chatId: string, text: string): boolean
} => {
  const remembered = new Set<string>()
  const keyOf = (chatId: string, text: string): string => JSON.stringify([chatId, text])
  return {
    expect(chatId, text) {
      const key = keyOf(chatId, text)
      remembered.delete(key)
      remembered.add(key)
      for (const oldest of remembered) {
        if (remembered.size <= MAX_REMEMBERED) break
        remembered.delete(oldest)
      }
    },
    isEcho: (chatId, text) => remembered.has(keyOf(chatId, text)),
  }
}
