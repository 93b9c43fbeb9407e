import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}

const lostName = 'lost.html'

export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface PageFiles {
  /**
   * The files by name, such as `app.js`, `chat/forms.js` or `vendor/preact.js`. A request is looked up here
   * and never becomes a file path.
   */
  readonly files: ReadonlyMap<string, PageFile>
  /** The CSP source of the inline import map, such as `'sha256-…'`. No other inline script may run. */
  readonly importMap: string
  /**
   * The page for the other addresses of this machine. It has no script and says how to get the present
   * address.
   */
  readonly lost: PageFile
  /** The page for an address of its own, where passkeys log in. */
  readonly remote: PageFile
}

/** The mark by which the scripts of the page know that passkeys log in. */
const remoteMark = '<html lang="en" data-remote>'

/** Reads all files of the page once. Later requests open no file. */
export const readPageFiles = async (): Promise<PageFiles> => {
  const folder = new URL('../page/', import.meta.url)
  const own = (await readdir(folder, { recursive: true })).map((name) => ({
    name,
    from: new URL(name, folder),
  }))
  // The library of passkeys is a folder of scripts that import one another.
  const webauthn = new URL('./', import.meta.resolve('@simplewebauthn/browser'))
  const vendor = [
    { name: 'vendor/preact.js', from: new URL(import.meta.resolve('preact')) },
    { name: 'vendor/preact-hooks.js', from: new URL(import.meta.resolve('preact/hooks')) },
    { name: 'vendor/uplot.js', from: new URL(import.meta.resolve('uplot/dist/uPlot.esm.js')) },
    { name: 'vendor/uplot.css', from: new URL(import.meta.resolve('uplot/dist/uPlot.min.css')) },
    ...(await readdir(webauthn, { recursive: true }))
      .filter((name) => name.endsWith('.js'))
      .map((name) => ({ name: `vendor/webauthn/${name}`, from: new URL(name, webauthn) })),
  ]
  const files = new Map<string, PageFile>()
  for (const { name, from } of [...own, ...vendor]) {
    const type = types[path.extname(name)]
    if (type !== undefined) files.set(name, { type, bytes: new Uint8Array(await readFile(from)) })
  }
  const html = new TextDecoder().decode(files.get('index.html')?.bytes)
  const map = /<script type="importmap">([^<]*)<\/script>/.exec(html)?.[1] ?? ''
  const lost = files.get(lostName)
  if (lost === undefined) throw new Error(`Expected ${lostName} beside the page, got none.`)
  files.delete(lostName)
  const remote = {
    type: lost.type,
    bytes: new TextEncoder().encode(html.replace('<html lang="en">', remoteMark)),
  }
  return { files, lost, remote, importMap: `'sha256-${createHash('sha256').update(map).digest('base64')}'` }
}
