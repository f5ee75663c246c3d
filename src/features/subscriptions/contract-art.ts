import type { SingleFlightCache } from '../../graph/cache/single-flight-cache.js'
import type { NetClient } from '../../platform/outbound/net-client.js'
import { isNetFailure } from '../../platform/outbound/net-failure.js'

const MAX_BYTES = 256 * 1024
const DEADLINE_MS = 4_000
const MAX_REDIRECTS = 3
const MAX_URL_LENGTH = 2_048
/** Metadata rarely changes, and its host may be slow. */
const MAX_AGE_MS = 60 * 60_000

const dataUriPattern = /^data:[^,]*?(;base64)?,(.*)$/s

interface ArtContext {
  readonly net: Pick<NetClient, 'request'>
  readonly singleFlight: SingleFlightCache
}

/** Returns the image that a contract's metadata names; empty when there is none or its host does not answer. */
export async function readArtUrl({ net, singleFlight }: ArtContext, contractUri: string): Promise<string> {
  if (contractUri.startsWith('data:')) return imageOf(readDataUri(contractUri))
  if (!contractUri.startsWith('https:') || contractUri.length > MAX_URL_LENGTH) return ''
  return await singleFlight.read(`art of ${contractUri}`, MAX_AGE_MS, async () => ({
    value: imageOf(await fetchText(net, contractUri)),
    tags: [],
  }))
}

function readDataUri(uri: string): string {
  const [, isBase64, data = ''] = dataUriPattern.exec(uri) ?? []
  try {
    return isBase64 === undefined ? decodeURIComponent(data) : Buffer.from(data, 'base64').toString()
  } catch {
    return ''
  }
}

async function fetchText(net: ArtContext['net'], url: string): Promise<string> {
  const answer = await net.request({
    url,
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
  })
  if (isNetFailure(answer) || answer.status !== 200 || answer.isTruncated) return ''
  return Buffer.from(answer.bytes).toString()
}

function imageOf(text: string): string {
  try {
    const { image } = JSON.parse(text) as { readonly image?: unknown }
    return typeof image === 'string' && image.length <= MAX_URL_LENGTH ? image : ''
  } catch {
    return ''
  }
}
