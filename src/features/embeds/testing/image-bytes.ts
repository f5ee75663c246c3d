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

/** Builds a JPEG with an EXIF orientation and padding before its size. */
export function jpeg(
  width: number,
  height: number,
  options: { orientation?: number; padding?: number } = {},
) {
  const { orientation = 1, padding = 0 } = options
  const exif = Buffer.from('4578696600004d4d002a00000008000101120003000000010000000000000000', 'hex')
  exif.writeUInt16BE(orientation, 24)
  const frame = Buffer.from('0800000000030111000211010311010000', 'hex')
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  const paddings = Array.from({ length: Math.ceil(padding / 60_000) }, () =>
    segment(0xe2, Buffer.alloc(60_000)),
  )
  return Buffer.concat([Buffer.from([0xff, 0xd8]), segment(0xe1, exif), ...paddings, segment(0xc0, frame)])
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
