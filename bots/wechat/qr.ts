/** What is used of the package qrcode, which comes along with wechaty. */
interface Drawer {
  create(
    text: string,
    options: { readonly errorCorrectionLevel: 'L' },
  ): { readonly modules: { readonly size: number; readonly data: Uint8Array } }
  toString(
    text: string,
    options: {
      readonly type: 'utf8'
      readonly errorCorrectionLevel: 'L'
      readonly color: { readonly dark: string; readonly light: string }
    },
  ): Promise<string>
}

const isDrawer = (value: unknown): value is Drawer =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'toString')

const load = async (): Promise<Drawer | undefined> => {
  const name: string = 'qrcode'
  const module = (await import(name)) as { readonly default?: unknown }
  return isDrawer(module.default) ? module.default : undefined
}

/** A QR code in blocks of text, for a terminal; undefined where the package that draws it is not installed. Never rejects. */
export const drawCode = async (content: string): Promise<string | undefined> => {
  try {
    // Drawn for light letters on a dark ground, as most terminals are: there it is dark on light.
    const color = { dark: '#ffffff', light: '#000000' }
    return await (await load())?.toString(content, { type: 'utf8', errorCorrectionLevel: 'L', color })
  } catch {
    return undefined
  }
}

/** The same for a page: its rows, `1` for what is dark. */
export const modulesOf = async (content: string): Promise<readonly string[] | undefined> => {
  try {
    const { size = 0, data = new Uint8Array() } =
      (await load())?.create(content, { errorCorrectionLevel: 'L' }).modules ?? {}
    return size === 0
      ? undefined
      : Array.from({ length: size }, (_, row) =>
          Array.from(data.subarray(row * size, (row + 1) * size), Number).join(''),
        )
  } catch {
    return undefined
  }
}
