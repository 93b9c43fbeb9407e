/** The part of the package qrcode that is used. It is an optional dependency. */
interface QrCodePackage {
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

const isQrCodePackage = (value: unknown): value is QrCodePackage =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'toString')

const load = async (): Promise<QrCodePackage | undefined> => {
  const name: string = 'qrcode'
  const module = (await import(name)) as { readonly default?: unknown }
  return isQrCodePackage(module.default) ? module.default : undefined
}

/**
 * Draws a QR code with block characters for a terminal. Undefined when the package that draws it is not
 * installed. Never rejects.
 */
export const drawCode = async (content: string): Promise<string | undefined> => {
  try {
    // Most terminals show light text on a dark background. With swapped colours the code appears dark on
    // light there.
    const color = { dark: '#ffffff', light: '#000000' }
    return await (await load())?.toString(content, { type: 'utf8', errorCorrectionLevel: 'L', color })
  } catch {
    return undefined
  }
}

/**
 * The rows of a QR code for a page. `1` is a dark square. Undefined when the package is not installed. Never
 * rejects.
 */
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
