import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, crc32, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { seeded } from './seeded.ts'

/** As the gate keeps a file of a push. */
export const keep = (path: string, bytes: Buffer | string): void => {
  rmSync(path, { force: true })
  writeFileSync(path, bytes)
  chmodSync(path, 0o444)
}

/** Bytes without a pattern that are the same in each run. They are the start of one series. */
let series: Buffer = Buffer.alloc(0)
const noise = (length: number): Buffer => {
  if (series.length < length) series = seeded(20_261_125).bytes(length)
  return series.subarray(0, length)
}

/** Real files, written byte by byte. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: Buffer
  readonly method?: number
  readonly isEncrypted?: boolean
  /** Stands behind the packed bytes, as if it were part of them. */
  readonly behind?: string
}

const u16 = (value: number): Buffer => Buffer.from([value & 0xff, value >> 8])
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** `isStreamed`: sizes stand behind the data, as programs write that do not know them before. */
export const zip = (entries: readonly ZipEntry[], { comment = '', isStreamed = false } = {}): Buffer => {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const { name, bytes, method = 8, isEncrypted = false, behind = '' } of entries) {
    const packed = Buffer.concat([
      method === 8 ? deflateRawSync(bytes) : method === 93 ? zstdCompressSync(bytes) : bytes,
      Buffer.from(behind),
    ])
    const named = Buffer.from(name)
    const sizes = Buffer.concat([u32(crc32(bytes)), u32(packed.length), u32(bytes.length)])
    const flags = u16((isEncrypted ? 1 : 0) | (isStreamed ? 8 : 0) | 0x800)
    const common = (told: Buffer): Buffer =>
      Buffer.concat([u16(20), flags, u16(method), u32(0), told, u16(named.length), u16(0)])
    const file = Buffer.concat([
      Buffer.from('PK\x03\x04'),
      common(isStreamed ? Buffer.alloc(12) : sizes),
      named,
      packed,
      ...(isStreamed ? [Buffer.from('PK\x07\x08'), sizes] : []),
    ])
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02'),
        u16(20),
        common(sizes),
        u16(0),
        u16(0),
        u16(0),
        u32(0),
        u32(offset),
        named,
      ]),
    )
    files.push(file)
    offset += file.length
  }
  const central = Buffer.concat(directory)
  return Buffer.concat([
    ...files,
    central,
    Buffer.from('PK\x05\x06'),
    u32(0),
    u16(entries.length),
    u16(entries.length),
    u32(central.length),
    u32(offset),
    u16(comment.length),
    Buffer.from(comment),
  ])
}

export const tar = (entries: readonly { readonly name: string; readonly bytes: Buffer }[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap(({ name, bytes }) => {
      const header = Buffer.alloc(512)
      header.write(name, 0)
      header.write(`0000644\0${'0'.repeat(7)}\0${'0'.repeat(7)}\0`, 100)
      header.write(`${bytes.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0        0`, 124)
      header.write(Buffer.from('7573746172003030', 'hex').toString('latin1'), 257)
      header.write(
        `${header
          .reduce((sum, byte) => sum + byte, 0)
          .toString(8)
          .padStart(6, '0')}\0 `,
        148,
      )
      return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
    }),
    Buffer.alloc(1024),
  ])

const chunk = (type: string, data: Buffer): Buffer => {
  const typed = Buffer.concat([Buffer.from(type), data])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([size, typed, sum])
}
/** A picture of chance, so that it does not shrink, with chunks of text. */
export const png = (chunks: readonly (readonly [type: string, data: Buffer])[] = [], side = 64): Buffer => {
  const header = Buffer.from([0, 0, 0, side, 0, 0, 0, side, 8, 2, 0, 0, 0])
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...chunks.map(([type, data]) => chunk(type, data)),
    chunk('IDAT', deflateSync(noise(side * (side * 3 + 1)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
export const pngText = {
  tEXt: (text: string): readonly [string, Buffer] => [
    'tEXt',
    Buffer.concat([Buffer.from('Comment\0'), Buffer.from(text, 'latin1')]),
  ],
  zTXt: (text: string): readonly [string, Buffer] => [
    'zTXt',
    Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.from(text, 'latin1'))]),
  ],
  iTXt: (text: string): readonly [string, Buffer] => [
    'iTXt',
    Buffer.concat([Buffer.from('Comment\0\x01\0en\0Kommentar\0'), deflateSync(Buffer.from(text))]),
  ],
}

/**
 * A JPEG as far as its segments go: EXIF in ASCII and UTF-16, XMP, IPTC, and bytes of chance for a picture.
 */
export const jpeg = ({ ascii = '', wide = '', xmp = '' } = {}): Buffer => {
  const segment = (marker: number, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]), data])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(
      0xe1,
      Buffer.concat([
        Buffer.from('Exif\0\0II*\0\x08\0\0\0\0\0'),
        Buffer.from(`${ascii}\0`),
        Buffer.from(`${wide}\0`, 'utf16le'),
      ]),
    ),
    segment(
      0xe1,
      Buffer.from(
        `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><dc:description>${xmp}</dc:description></x:xmpmeta>`,
      ),
    ),
    segment(0xda, noise(30_000)),
    Buffer.from([0xff, 0xd9]),
  ])
}

const xml = (body: string): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${body}`)
/**
 * A document of Word whose text is cut into runs of so many letters, each with its own markup, as Word does
 * after edits.
 */
export const docx = (text: string, letters = 5, author = 'Ada'): Buffer => {
  const run = (part: string): string =>
    `<w:r w:rsidR="00A77B3E"><w:rPr><w:rFonts w:ascii="Calibri"/><w:b/></w:rPr><w:t xml:space="preserve">${part.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</w:t></w:r>`
  const paragraphs = text
    .split('\n')
    .map(
      (line) =>
        `<w:p w:rsidR="00A77B3E">${(line.match(new RegExp(`.{1,${letters}}`, 'gsu')) ?? []).map(run).join('<w:proofErr w:type="spellEnd"/>')}</w:p>`,
    )
  return zip([
    {
      name: '[Content_Types].xml',
      bytes: xml(
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
      ),
    },
    {
      name: 'word/document.xml',
      bytes: xml(
        `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraphs.join('')}</w:body></w:document>`,
      ),
    },
    {
      name: 'docProps/core.xml',
      bytes: xml(`<cp:coreProperties><dc:creator>${author}</dc:creator></cp:coreProperties>`),
    },
  ])
}

const mail = (encoding: string, body: string): Buffer =>
  Buffer.from(
    `From: a@example.org\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: application/x\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n--b--\r\n`,
  )
const entry = (text: string): readonly ZipEntry[] => [
  { name: 'notes/readme.md', bytes: Buffer.from('# Notes\n') },
  { name: 'notes/key.txt', bytes: Buffer.from(text) },
]
/** Each writes a file that holds the text where its reader finds it. */
export const containers: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a byte that is none': (text) =>
    Buffer.concat([Buffer.from('caf\xe9 ', 'latin1'), Buffer.from(text)]),
  'UTF-16 LE with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16 BE with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'UTF-16 LE without': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16 BE without': (text) => Buffer.from(text, 'utf16le').swap16(),
  'among other bytes': (text) => Buffer.concat([noise(5000), Buffer.from(`\0${text}\0`), noise(5000)]),
  zip: (text) => zip(entry(text)),
  'zip, streamed': (text) => zip(entry(text), { isStreamed: true }),
  'zip, stored': (text) => zip(entry(text).map((one) => ({ ...one, method: 0 }))),
  'zip, zstd': (text) => zip(entry(text).map((one) => ({ ...one, method: 93 }))),
  'zip in zip': (text) => zip([{ name: 'inner.zip', bytes: zip(entry(text)) }]),
  'zip behind a picture': (text) => Buffer.concat([png(), zip(entry(text))]),
  tar: (text) => tar(entry(text)),
  'tar.gz': (text) => gzipSync(tar(entry(text))),
  gzip: (text) => gzipSync(text),
  zstd: (text) => zstdCompressSync(Buffer.from(text)),
  zlib: (text) => deflateSync(text),
  'deflate without a mark': (text) => deflateRawSync(text),
  brotli: (text) => brotliCompressSync(text),
  'tar in brotli': (text) => brotliCompressSync(tar(entry(text))),
  'a mail with a zip': (text) =>
    mail('base64', zip(entry(text)).toString('base64').replaceAll(/.{76}/g, '$&\r\n')),
  'a mail in quoted-printable': (text) =>
    mail(
      'quoted-printable',
      [...Buffer.from(text)]
        .map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`)
        .join('')
        .replaceAll(/.{60}/g, '$&=\r\n'),
    ),
  'docx, runs of five letters': (text) => docx(`Hello,\n${text}\nBye.`),
  'docx, letter by letter': (text) => docx(text, 1),
  'docx in zip': (text) => zip([{ name: 'report.docx', bytes: docx(text) }]),
  'PNG, tEXt': (text) => png([pngText.tEXt(text)]),
  'PNG, zTXt': (text) => png([pngText.zTXt(text)]),
  'PNG, iTXt': (text) => png([pngText.iTXt(text)]),
  'JPEG, EXIF': (text) => jpeg({ ascii: text }),
  'JPEG, EXIF in UTF-16': (text) => jpeg({ wide: text }),
  'JPEG, XMP': (text) => jpeg({ xmp: text }),
}

/** A GIF of one pixel, with a comment in blocks of so many letters. */
export const gif = (comment = '', letters = 255): Buffer => {
  const blocks = Array.from({ length: Math.ceil(comment.length / letters) }, (_, at) =>
    Buffer.from(comment.slice(at * letters, (at + 1) * letters)),
  ).flatMap((block) => [Buffer.from([block.length]), block])
  return Buffer.concat([
    Buffer.from('GIF89a\x01\0\x01\0'),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...(comment === '' ? [] : [Buffer.from([0x21, 0xfe]), ...blocks, Buffer.from([0])]),
    Buffer.from('2c00000000010001000002024401003b', 'hex'),
  ])
}

/** A WAV without sound. */
export const wav = (): Buffer =>
  Buffer.concat([
    Buffer.from('RIFF'),
    u32(36),
    Buffer.from('WAVEfmt '),
    u32(16),
    Buffer.from([1, 0, 1, 0, 64, 31, 0, 0, 64, 31, 0, 0, 1, 0, 8, 0]),
    Buffer.from('data'),
    u32(0),
  ])
