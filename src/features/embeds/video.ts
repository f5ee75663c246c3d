/** What is known of a video without playing it. */
export interface VideoMetadata {
  duration_s?: number
  stream?: VideoStream[]
}

/** One picture stream of a video; what is not known is left out. */
export interface VideoStream {
  codec_name?: string
  width_px?: number
  height_px?: number
}

/** Codecs by the first part of their RFC 6381 names, and what players call them. */
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

/** The name of a video codec; undefined for one that is not known or carries no picture. */
export function codecName(sample: string): string | undefined {
  return codecNames.get(sample.slice(0, 4).toLowerCase())
}
