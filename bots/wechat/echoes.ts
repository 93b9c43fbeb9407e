/** How many of our latest texts are known again when WeChat plays them back. */
const MAX_KEPT = 256

/**
 * WeChat shows the bot's own messages to the bot. What we sent is not news; what the account's owner typed elsewhere is.
 * An echo that comes too late, or altered, counts as typed: it is then still `self`, which is never a command.
 */
export const createEchoes = (): {
  expect(chatId: string, text: string): void
  isEcho(chatId: string, text: string): boolean
} => {
  const kept = new Set<string>()
  const keyOf = (chatId: string, text: string): string => JSON.stringify([chatId, text])
  return {
    expect(chatId, text) {
      const key = keyOf(chatId, text)
      kept.delete(key)
      kept.add(key)
      for (const oldest of kept) {
        if (kept.size <= MAX_KEPT) break
        kept.delete(oldest)
      }
    },
    isEcho: (chatId, text) => kept.has(keyOf(chatId, text)),
  }
}
