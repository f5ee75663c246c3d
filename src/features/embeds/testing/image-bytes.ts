/** Builds the first bytes of images, enough to contain their size. */

/** Builds the first bytes of a PNG, enough to contain its size. */
export function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33)
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

/** Builds the first bytes of a GIF, enough to contain its size. */
export function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1')
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  return bytes
}

/** Builds a JPEG with an EXIF orientation, padding and other bytes before its size. */
export function jpeg(
  width: number,
  height: number,
  options: { orientation?: number; padding?: number; between?: Buffer } = {},
) {
  const { orientation = 1, padding = 0, between = Buffer.alloc(0) } = options
  const exif = Buffer.from('4578696600004d4d002a00000008000101120003000000010000000000000000', 'hex')
  exif.writeUInt16BE(orientation, 24)
  const frame = Buffer.from('0800000000030111000211010311010000', 'hex')
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  const paddings = Array.from({ length: Math.ceil(padding / 60_000) }, () =>
    segment(0xe2, Buffer.alloc(60_000)),
  )
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, exif),
    ...paddings,
    between,
    segment(0xc0, frame),
  ])
}

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** Builds an empty SVG of a size. */
export function svg(width: number, height: number): Buffer {
  return Buffer.from(
    `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"></svg>`,
  )
}

/** Builds the first bytes of an extended WebP, enough to contain its size. */
export function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write('RIFF\0\0\0\0WEBPVP8X', 'latin1')
  bytes.writeUIntLE(width - 1, 24, 3)
  bytes.writeUIntLE(height - 1, 27, 3)
  return bytes
}

/**
 * Builds the boxes of a HEIF image, without its pictures, as phones write them: a grid of tiles, each of them an item.
 * The boxes before its size grow with the tiles.
 */
export function heif(width: number, height: number, options: { brand?: string; tiles?: number } = {}) {
  const { brand = 'heic', tiles = 48 } = options
  const item = (id: number) => box('infe', Buffer.from([2, 0, 0, 1, 0, id, 0, 0]), Buffer.from('hvc1\0'))
  const items = Array.from({ length: tiles }, (_, index) => item(index % 256))
  const size = Buffer.alloc(12)
  size.writeUInt32BE(width, 4)
  size.writeUInt32BE(height, 8)
  const properties = box('ipco', box('hvcC', Buffer.alloc(107)), box('ispe', size))
  return Buffer.concat([
    box('ftyp', Buffer.from(`${brand}\0\0\0\0mif1${brand}`)),
    box(
      'meta',
      Buffer.alloc(4),
      box('hdlr', Buffer.from('\0\0\0\0\0\0\0\0pict'), Buffer.alloc(14)),
      box('pitm', Buffer.from([0, 0, 0, 0, 0, 49])),
      box('iinf', Buffer.from([0, 0, 0, 0, 0, tiles % 256]), ...items),
      box('iref', Buffer.alloc(12 + 2 * tiles)),
      box('iprp', properties),
    ),
  ])
}

function box(type: string, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(head.length + content.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}
