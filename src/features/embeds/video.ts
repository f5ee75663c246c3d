/** Metadata of a video. */
export interface VideoMetadata {
  duration_s?: number
  stream?: VideoStream[]
}

/** A video track; unknown values are omitted. */
export interface VideoStream {
  codec_name?: string
  width_px?: number
  height_px?: number
}

/** Codec names by the first part of their RFC 6381 identifiers. */
const codecNames: ReadonlyMap<string, string> = new Map([
  ['av01', 'av1'],
  ['avc1', 'h264'],
  ['avc3', 'h264'],
  ['dvh1', 'hevc'],
  ['dvhe', 'hevc'],
  ['hev1', 'hevc'],
  ['hvc1', 'hevc'],
  ['mp4v', 'mpeg4'],
  ['vp08', 'vp8'],
  ['vp09', 'vp9'],
])

/** Returns the name of a video codec; undefined for unknown and audio codecs. */
export function codecName(sample: string): string | undefined {
  return codecNames.get(sample.slice(0, 4).toLowerCase())
}
