/** What is used of the package qrcode, which comes along with wechaty. */
interface Drawer {
  toString(text: string, options: { readonly type: 'utf8'; readonly errorCorrectionLevel: 'L'; readonly color: { readonly dark: string; readonly light: string } }): Promise<string>
}

const isDrawer = (value: unknown): value is Drawer => typeof value === 'object' && value !== null && Object.hasOwn(value, 'toString')

/** A QR code in blocks of text, for a terminal; undefined where the package that draws it is not installed. Never rejects. */
export const drawCode = async (content: string): Promise<string | undefined> => {
  const name: string = 'qrcode'
  try {
    // Drawn for light letters on a dark ground, as most terminals are: there it is dark on light.
    const color = { dark: '#ffffff', light: '#000000' }
    const module = (await import(name)) as { readonly default?: unknown }
    return isDrawer(module.default) ? await module.default.toString(content, { type: 'utf8', errorCorrectionLevel: 'L', color }) : undefined
  } catch {
    return undefined
  }
}
