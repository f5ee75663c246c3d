import type { ServerResponse } from 'node:http'
import { serveHttp } from '../../../platform/outbound/testing/loopback-server.js'

/** A request that a frame got. */
export interface PostedAction {
  readonly path: string | undefined
  readonly untrustedData: Readonly<Record<string, unknown>>
  readonly trustedData: { readonly messageBytes: string }
}

/** A page with a frame of the first protocol. */
export const framePage = `
  <meta property="og:title" content="Tulips">
  <meta property="fc:frame" content="vNext">
  <meta property="fc:frame:image" content="/next.png">
  <meta property="fc:frame:button:1" content="Again">
  <meta property="fc:frame:post_url" content="/again">`

/** Serves a frame until the test ends, and records what is posted to it. */
export async function serveFrame(answer = (response: ServerResponse) => void response.end(framePage)) {
  const posted: PostedAction[] = []
  const { origin } = await serveHttp((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      if (request.method === 'POST') posted.push({ path: request.url, ...JSON.parse(body) })
      response.setHeader('content-type', 'text/html')
      answer(response)
    })
  })
  return { origin, posted }
}
