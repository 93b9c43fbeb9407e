/**
 * Words with which people and models say that something is done, in the supported languages. A plan ("I will
 * publish it") is no claim. Source: our own list. A hook's matcher filters more precisely.
 */
const doneWords = [
  // English
  'done',
  'finished',
  'complete',
  'completed',
  'fixed',
  'resolved',
  'published',
  'deployed',
  'released',
  'shipped',
  'uploaded',
  'sent',
  'submitted',
  'merged',
  'pushed',
  'committed',
  'installed',
  'implemented',
  'created',
  'updated',
  'removed',
  'deleted',
  'renamed',
  'moved',
  'written',
  'wrote',
  'added',
  'tested',
  'passing',
  'succeeded',
  'successfully',
  'live now',
  'is live',
  'all set',
  // German
  'fertig',
  'erledigt',
  'abgeschlossen',
  'veröffentlicht',
  'behoben',
  'gesendet',
  'hochgeladen',
  'erstellt',
  'gelöscht',
  'aktualisiert',
]
const english = new RegExp(`(?<![\\p{L}\\p{N}])(?:${doneWords.join('|')})(?![\\p{L}\\p{N}])`, 'iu')
/** Chinese has no spaces between words. */
const chinese =
  /完成|搞定|好了|已发布|已部署|已上传|已发送|已修复|已提交|已创建|已更新|已删除|发布了|修复了|写好了|做好了/u
const maxChars = 20_000

/**
 * True when a text says that something is done. Of a text longer than `maxChars` characters only both ends
 * are searched.
 */
export const soundsDone = (text: string): boolean => {
  const seen = text.length <= maxChars ? text : `${text.slice(0, maxChars / 2)}\n${text.slice(-maxChars / 2)}`
  return english.test(seen) || chinese.test(seen)
}
