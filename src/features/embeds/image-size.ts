import { BMP } from 'image-size/types/bmp'
import { GIF } from 'image-size/types/gif'
import { HEIF } from 'image-size/types/heif'
import type { IImage } from 'image-size/types/interface'
import { PNG } from 'image-size/types/png'
import { SVG } from 'image-size/types/svg'
import { WEBP } from 'image-size/types/webp'
import type { EmbedKind } from '../../graph/embed-kind.js'
import type { EmbedUrlMetadata } from '../../graph/view/schema/url-metadata.js'
import { JPEG } from './jpeg-size.js'

type ImageSize = NonNullable<EmbedUrlMetadata['image']>

interface Format {
  readonly kind: EmbedKind
  readonly reader: IImage
  /** Most bytes that the parser gets. */
  readonly maxBytes: number
}

/** Formats that browsers show. The library knows more, but each is another parser to trust. */
const formats: readonly Format[] = [
  { kind: 'image/png', reader: PNG, maxBytes: 64 },
  // Photographs have thumbnails and color profiles before their size.
  { kind: 'image/jpeg', reader: JPEG, maxBytes: 262_144 },
  { kind: 'image/gif', reader: GIF, maxBytes: 64 },
  { kind: 'image/webp', reader: WEBP, maxBytes: 64 },
  // The reader takes quadratic time: 400 sizes in 8 KiB take 1 ms of a core, 1,600 in 32 KiB took 10 to 31. A photograph
  // of 48 tiles has its size within 3 KiB.
  { kind: 'image/heif', reader: HEIF, maxBytes: 8_192 },
  { kind: 'image', reader: BMP, maxBytes: 64 },
  // Quadratic, too: `<svg ` again and again takes 0.5 ms.
  { kind: 'image/svg+xml', reader: SVG, maxBytes: 2_048 },
]

/** Most bytes needed to measure any image. */
export const MAX_IMAGE_BYTES = Math.max(...formats.map(({ maxBytes }) => maxBytes))

/** EXIF orientations from this value on exchange width and height. */
const FIRST_TURNED_ORIENTATION = 5

/** The displayed size and the detected type of an image. */
export interface MeasuredImage {
  readonly size: ImageSize
  readonly kind: EmbedKind
}

/** Measures an image; undefined when its format or size is unknown. */
export function measureImage(bytes: Uint8Array): MeasuredImage | undefined {
  for (const { kind, reader, maxBytes } of formats) {
    // Copies exactly these bytes: Node's buffers share memory, and a parser that overruns must find nothing.
    const start = new Uint8Array(bytes.subarray(0, maxBytes))
    const size = measure(reader, start)
    if (size !== undefined) return { size, kind: kind === 'image/heif' && isAvif(start) ? 'image' : kind }
  }
  return undefined
}

function measure({ validate, calculate }: IImage, bytes: Uint8Array): ImageSize | undefined {
  try {
    if (!validate(bytes)) return undefined
    const { width, height, orientation = 1 } = calculate(bytes)
    if (!isLength(width) || !isLength(height)) return undefined
    const isTurned = orientation >= FIRST_TURNED_ORIENTATION
    return isTurned ? { width_px: height, height_px: width } : { width_px: width, height_px: height }
  } catch {
    // The parsers throw on invalid input.
    return undefined
  }
}

function isLength(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0
}

function isAvif(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'avif'
}
