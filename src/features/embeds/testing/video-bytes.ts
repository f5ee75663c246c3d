/** Builds the first bytes of an MP4 file optimized for streaming. */
export function mp4(options: { width: number; height: number; durationMs: number; codec?: string }): Buffer {
  const { width, height, durationMs, codec = 'avc1' } = options
  const header = Buffer.alloc(100)
  header.writeUInt32BE(1_000, 12)
  header.writeUInt32BE(durationMs, 16)
  const picture = Buffer.alloc(78)
  picture.writeUInt16BE(width, 24)
  picture.writeUInt16BE(height, 26)
  return Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\0\0', 'latin1')),
    box('moov', box('mvhd', header), track(box('mp4a', Buffer.alloc(28))), track(box(codec, picture))),
    // Media data, longer than what is read of it.
    Buffer.from('7fffffff6d646174', 'hex'),
  ])
}

function track(sample: Buffer): Buffer {
  const description = box('stsd', Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), sample)
  return box('trak', box('tkhd', Buffer.alloc(84)), box('mdia', box('minf', box('stbl', description))))
}

/** Builds a box of an MP4 file: length, type and contents. */
export function box(type: string, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}
