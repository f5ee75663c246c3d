import { omitUndefined } from './omit-undefined.js'
import { codecName, type VideoMetadata, type VideoStream } from './video.js'

const STREAMS_MAX = 20

/**
 * Reads an HTTP Live Streaming playlist (RFC 8216).
 *
 * A master playlist gives sizes and codecs, a complete media playlist its duration. Undefined for anything
 * else.
 */
export function readPlaylist(text: string, isWhole: boolean): VideoMetadata | undefined {
  const lines = text.split(/\r?\n/)
  if (lines[0]?.replace(/^\ufeff/, '').trim() !== '#EXTM3U') return undefined
  const stream = lines
    .filter((line) => line.startsWith('#EXT-X-STREAM-INF:'))
    .slice(0, STREAMS_MAX)
    .map(streamOf)
    .filter((found) => Object.keys(found).length > 0)
  return omitUndefined({
    duration_s: isWhole ? durationOf(lines) : undefined,
    stream: stream.length > 0 ? stream : undefined,
  })
}

function streamOf(line: string): VideoStream {
  const size = /[:,]RESOLUTION=(\d{1,5})x(\d{1,5})/.exec(line)
  const codecs = /[:,]CODECS="([^"]*)"/.exec(line)?.[1]?.split(',') ?? []
  return omitUndefined({
    codec_name: codecs.map((codec) => codecName(codec.trim())).find((name) => name !== undefined),
    width_px: size ? Number(size[1]) : undefined,
    height_px: size ? Number(size[2]) : undefined,
  })
}

/** Returns the duration; a playlist without an end is live. */
function durationOf(lines: readonly string[]): number | undefined {
  if (!lines.includes('#EXT-X-ENDLIST')) return undefined
  const seconds = lines
    .map((line) => /^#EXTINF:(\d{1,7}(?:\.\d{1,9})?)/.exec(line)?.[1])
    .reduce((sum, length) => sum + Number(length ?? 0), 0)
  return seconds > 0 ? Math.round(seconds * 1_000) / 1_000 : undefined
}
