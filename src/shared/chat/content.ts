import { type TextField, numbered, partNamed } from '../../core/model/chat/content.ts'

/** True when the index is between the two halves of one character. */
export const isSplit = (text: string, at: number): boolean =>
  /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at))
/** The buttons that open an address, from top to bottom. */
export const linkButtons = (
  parts: readonly TextField[],
): readonly { readonly label: string; readonly url: string }[] =>
  numbered(parts, 'button', 'label').map(({ at, text }) => ({
    label: text,
    url: partNamed(parts, `button.${at}.url`) ?? '',
  }))
