import { access, constants } from 'node:fs/promises'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Without a browser the page is not tested, unless the build demands it. */
export const isBrowserMissing =
  !(await access(executablePath, constants.X_OK).then(
    () => true,
    () => false,
  )) && process.env['CI'] !== 'true'
if (isBrowserMissing)
  console.warn(`No browser at ${executablePath}: the page is not tested. Set CHROMIUM to a Chromium.`)

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })

export interface Tab {
  readonly page: Page
  /** Every response body that the browser got so far, as one text; streams as far as they have come. */
  received(): Promise<string>
  /** Errors and warnings of the console, and what the page threw. */
  readonly complaints: readonly string[]
  /** Requests to anywhere else than the program. */
  readonly foreign: readonly string[]
}

/** A browser as wide as a phone. */
export const phoneScreen = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const

/**
 * A tab of its own of which everything is noted: what it complains of, whom it asks and what it is answered.
 */
export const openTab = async (
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Tab> => {
  const page = await browser.newPage(options)
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  const foreign: string[] = []
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) foreign.push(request.url())
  })

  // A body that ended is asked for as a whole; of a stream that goes on, what came so far is put together
  // from its pieces.
  const whole = new Map<string, Buffer>()
  const pieces = new Map<string, Buffer[]>()
  const asked = new Set<Promise<void>>()
  const wire = await page.context().newCDPSession(page)
  const add = (requestId: string, base64: string): void =>
    void pieces.set(requestId, [...(pieces.get(requestId) ?? []), Buffer.from(base64, 'base64')])
  wire.on('Network.responseReceived', ({ requestId }) => {
    asked.add(
      wire.send('Network.streamResourceContent', { requestId }).then(
        ({ bufferedData }) => add(requestId, bufferedData),
        () => undefined,
      ),
    )
  })
  wire.on('Network.dataReceived', ({ requestId, data }) => {
    if (data !== undefined) add(requestId, data)
  })
  wire.on('Network.loadingFinished', ({ requestId }) => {
    asked.add(
      wire.send('Network.getResponseBody', { requestId }).then(
        ({ body, base64Encoded }) =>
          void whole.set(requestId, Buffer.from(body, base64Encoded ? 'base64' : 'utf8')),
        () => undefined,
      ),
    )
  })
  await wire.send('Network.enable')

  const received = async (): Promise<string> => {
    await Promise.all(asked)
    return [...new Set([...whole.keys(), ...pieces.keys()])]
      .map((id) => (whole.get(id) ?? Buffer.concat(pieces.get(id) ?? [])).toString())
      .join('\n')
  }
  return { page, received, complaints, foreign }
}
