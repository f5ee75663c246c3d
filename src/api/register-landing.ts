import type { FastifyInstance } from 'fastify'
import { version } from '../platform/process/version.js'

/** State that the page shows. */
export interface LandingOptions {
  /** Whether the server can serve requests now. */
  readonly isReady: () => Promise<boolean>
  /** False: the console is off. */
  readonly hasConsole: boolean
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

/** Adds `/`: what this server is, whether it is ready, and where to go on; as JSON for programs. */
export function registerLanding(app: FastifyInstance, { isReady, hasConsole }: LandingOptions): void {
  const links = [
    ...(hasConsole ? [{ path: '/console', text: 'Console: see what runs, and manage it' }] : []),
    { path: '/docs', text: 'API reference' },
    { path: '/openapi.json', text: 'OpenAPI document' },
    { path: '/readyz', text: 'State of the server' },
  ]
  app.get('/', async (request, reply) => {
    const status = (await isReady()) ? 'ready' : 'not ready'
    reply.header('vary', 'accept')
    if (!request.headers.accept?.includes('text/html')) {
      return { name: 'plaza', version, status, links: links.map(({ path }) => path) }
    }
    const items = links.map(({ path, text }) => `<li><a href="${path}">${text}</a></li>`)
    return reply
      .headers({
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(page(status, items.join('')))
  })
}

function page(status: string, items: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plaza</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
</style>
<main>
<h1>Plaza ${version}</h1>
<p>An open server that is compatible with the Neynar API for Farcaster, and a hub. It is <strong>${status}</strong>.</p>
<ul>${items}</ul>
</main>
</html>
`
}
