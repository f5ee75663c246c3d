import { parseUrl } from '../platform/text/parse-url.js'
/** The values of the `embed_types` parameter of `GET feed`: media types and families of them. */
export const embedTypes = [
  'text',
  'image',
  'video',
  'audio',
  'text/html',
  'text/plain',
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/svg+xml',
  'image/heif',
  'video/mp4',
  'video/quicktime',
  'audio/mpeg',
  'application/pdf',
  'application/json',
  'application/x-mpegurl',
] as const

/**
 * The kind of an embedded URL: a media type of the list, or its family when the list does not have it
 * (`image` for image/avif).
 */
export type EmbedKind = (typeof embedTypes)[number]

const mediaFamilies = ['text', 'image', 'video', 'audio'] as const
const knownKinds: ReadonlySet<string> = new Set(embedTypes)

/** Other names that servers send for the same media types. */
const aliases: ReadonlyMap<string, EmbedKind> = new Map([
  ['application/mpegurl', 'application/x-mpegurl'],
  ['application/vnd.apple.mpegurl', 'application/x-mpegurl'],
  ['application/xhtml+xml', 'text/html'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/mpegurl', 'application/x-mpegurl'],
  ['audio/x-mpegurl', 'application/x-mpegurl'],
  ['image/heic', 'image/heif'],
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['text/json', 'application/json'],
  ['video/x-m4v', 'video/mp4'],
])

/** The extensions of file names for each kind. */
const extensions: Partial<Record<EmbedKind, string>> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/x-mpegurl': 'm3u8',
  audio: 'aac flac m4a oga ogg opus wav',
  'audio/mpeg': 'mp3',
  image: 'avif bmp ico tif tiff',
  'image/gif': 'gif',
  'image/heif': 'heic heif',
  'image/jpeg': 'jfif jpeg jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  text: 'css csv md',
  'text/html': 'htm html',
  'text/plain': 'txt',
  video: 'mkv ogv webm',
  'video/mp4': 'm4v mp4',
  'video/quicktime': 'mov',
}
const kindsByExtension = new Map(
  embedTypes.flatMap((kind) => (extensions[kind] ?? '').split(' ').map((extension) => [extension, kind])),
)

/** The kind that the extension of a URL suggests before the URL is crawled; null when it suggests none. */
export function kindOfUrl(url: string): EmbedKind | null {
  const extension = /\.([a-z0-9]{2,5})$/i.exec(parseUrl(url)?.pathname ?? '')?.[1]?.toLowerCase()
  return (extension && kindsByExtension.get(extension)) || null
}

/** The kind that a Content-Type header names; null when no feed can select it. */
export function kindOfContentType(contentType: string): EmbedKind | null {
  const mediaType = mediaTypeOf(contentType)
  if (isEmbedKind(mediaType)) return mediaType
  const family = mediaFamilies.find((name) => mediaType.startsWith(`${name}/`))
  return aliases.get(mediaType) ?? (mediaType.endsWith('+json') ? 'application/json' : (family ?? null))
}

/** The type and subtype of a Content-Type header, lowercase, without parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** All kinds that embed types include, for `kind = any (…)` in SQL. A family includes its media types. */
export function kindsOf(types: readonly EmbedKind[]): EmbedKind[] {
  return embedTypes.filter((kind) => types.some((type) => type === kind || type === familyOf(kind)))
}

function familyOf(kind: EmbedKind): EmbedKind | null {
  // A playlist of HTTP live streaming (RFC 8216), which feeds use for recorded and live video.
  if (kind === 'application/x-mpegurl') return 'video'
  return mediaFamilies.find((family) => kind.startsWith(`${family}/`)) ?? null
}

function isEmbedKind(text: string): text is EmbedKind {
  return knownKinds.has(text)
}
