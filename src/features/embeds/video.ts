import type { EmbedUrlMetadata } from '../../graph/view/schema/url-metadata.js'
import { omitUndefined } from './page-text.js'

type VideoMetadata = NonNullable<EmbedUrlMetadata['video']>
type VideoStream = NonNullable<VideoMetadata['stream']>[number]

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
function codecName(sample: string): string | undefined {
  return codecNames.get(sample.slice(0, 4).toLowerCase())
}

/** Most boxes to read in one file, at all depths; real headers have fewer. */
const MAX_BOXES = 2_000
const MAX_STREAMS = 20
/** One year; longer durations are corrupt. */
const MAX_DURATION_SECONDS = 31_536_000

interface Box {
  readonly type: string
  readonly content: DataView
}

/**
 * Reads duration, codec and size from the first bytes of an MP4 or QuickTime file (ISO/IEC 14496-12). Files that are
 * not optimized for streaming have their header at the end, which is not read.
 */
export function readMp4(bytes: Uint8Array): VideoMetadata {
  const reader = new BoxReader()
  const file = reader.boxes(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const movie = file.find(({ type }) => type === 'moov')
  if (movie === undefined) return {}
  const parts = reader.boxes(movie.content)
  const header = parts.find(({ type }) => type === 'mvhd')
  const stream = parts
    .filter(({ type }) => type === 'trak')
    .slice(0, MAX_STREAMS)
    .flatMap((track) => streamOf(reader, track) ?? [])
  return omitUndefined({
    duration_s: header && durationOf(header.content),
    stream: stream.length > 0 ? stream : undefined,
  })
}

class BoxReader {
  #left = MAX_BOXES

  /** Returns the boxes in this range up to the first corrupt one, truncated to the available bytes. */
  boxes(view: DataView): Box[] {
    const found: Box[] = []
    let at = 0
    while (at + 8 <= view.byteLength && this.#left > 0) {
      this.#left -= 1
      const size = view.getUint32(at)
      // Size 1 means that a 64-bit size follows, 0 that the box extends to the end: media data, not headers.
      const isLong = size === 1 && at + 16 <= view.byteLength
      const length = isLong ? Number(view.getBigUint64(at + 8)) : size
      const head = isLong ? 16 : 8
      if (length < head) break
      const end = Math.min(at + length, view.byteLength)
      found.push({ type: typeAt(view, at + 4), content: slice(view, at + head, end - at - head) })
      at += length
    }
    return found
  }

  /** Returns the box at the end of a path. */
  descend(view: DataView, path: readonly string[]): DataView | undefined {
    let current: DataView | undefined = view
    for (const step of path) {
      current = current && this.boxes(current).find(({ type }) => type === step)?.content
    }
    return current
  }
}

/** Returns undefined for tracks without video: audio, subtitles, timecodes. */
function streamOf(reader: BoxReader, { content }: Box): VideoStream | undefined {
  const description = reader.descend(content, ['mdia', 'minf', 'stbl', 'stsd'])
  if (description === undefined || description.byteLength < 8) return undefined
  // Sample entries, which are boxes, follow version, flags and count.
  const [entry] = reader.boxes(slice(description, 8, description.byteLength - 8))
  const codec = entry && codecName(entry.type)
  if (entry === undefined || codec === undefined) return undefined
  // VisualSampleEntry has width and height after 24 bytes.
  const hasSize = entry.content.byteLength >= 28
  return omitUndefined({
    codec_name: codec,
    width_px: hasSize ? entry.content.getUint16(24) : undefined,
    height_px: hasSize ? entry.content.getUint16(26) : undefined,
  })
}

/** Reads the duration in `mvhd`: timestamps, time scale and duration, 32-bit or from version 1 64-bit. */
function durationOf(header: DataView): number | undefined {
  const isLong = header.byteLength > 0 && header.getUint8(0) === 1
  if (header.byteLength < (isLong ? 32 : 20)) return undefined
  const scale = header.getUint32(isLong ? 20 : 12)
  const duration = isLong ? Number(header.getBigUint64(24)) : header.getUint32(16)
  // All bits set means unknown.
  if (!isLong && duration === 0xffff_ffff) return undefined
  const seconds = Math.round((duration / scale) * 1_000) / 1_000
  return seconds > 0 && seconds < MAX_DURATION_SECONDS ? seconds : undefined
}

function typeAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)))
}

function slice(view: DataView, at: number, length: number): DataView {
  return new DataView(view.buffer, view.byteOffset + at, length)
}

/**
 * Reads an HTTP Live Streaming playlist (RFC 8216). A master playlist gives sizes and codecs, a complete media playlist
 * its duration. Undefined for anything else.
 */
export function readPlaylist(text: string, isWhole: boolean): VideoMetadata | undefined {
  const lines = text.split(/\r?\n/)
  if (lines[0]?.replace(/^\ufeff/, '').trim() !== '#EXTM3U') return undefined
  const stream = lines
    .filter((line) => line.startsWith('#EXT-X-STREAM-INF:'))
    .slice(0, MAX_STREAMS)
    .map(renditionOf)
    .filter((found) => Object.keys(found).length > 0)
  return omitUndefined({
    duration_s: isWhole ? playlistDuration(lines) : undefined,
    stream: stream.length > 0 ? stream : undefined,
  })
}

function renditionOf(line: string): VideoStream {
  const size = /[:,]RESOLUTION=(\d{1,5})x(\d{1,5})/.exec(line)
  const codecs = /[:,]CODECS="([^"]*)"/.exec(line)?.[1]?.split(',') ?? []
  return omitUndefined({
    codec_name: codecs.map((codec) => codecName(codec.trim())).find((name) => name !== undefined),
    width_px: size ? Number(size[1]) : undefined,
    height_px: size ? Number(size[2]) : undefined,
  })
}

/** Returns the duration; a playlist without an end is live. */
function playlistDuration(lines: readonly string[]): number | undefined {
  if (!lines.includes('#EXT-X-ENDLIST')) return undefined
  const seconds = lines
    .map((line) => /^#EXTINF:(\d{1,7}(?:\.\d{1,9})?)/.exec(line)?.[1])
    .reduce((sum, length) => sum + Number(length ?? 0), 0)
  return seconds > 0 ? Math.round(seconds * 1_000) / 1_000 : undefined
}
