import Fastify, { type FastifyInstance } from 'fastify'
import { inlineSources } from '../platform/http/content-policy.js'
import { limitRequests } from '../platform/limits/limit-requests.js'
import { limits } from '../platform/limits/limits.js'
import { type ApiDescription, openApiDocument } from './openapi.js'

/**
 * Adds the OpenAPI document at `/openapi.json`, and a reference page at `/docs`. Both are kept as bytes: a text of 4 MB is
 * encoded anew for each reply, and takes 13 MB while its client reads it.
 */
export async function registerDocs(
  app: FastifyInstance,
  description: ApiDescription,
  { clock }: { readonly clock: () => number },
): Promise<void> {
  const document = once(() => openApiDocument(description))
  const json = once(() => Buffer.from(JSON.stringify(document())))
  const readFile = createReference(document)
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('access-control-allow-origin', '*')
    })
    limitRequests(scope, limits.docsRequests, { clock })
    scope.get('/openapi.json', async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(json()),
    )
    for (const url of ['/docs/', '/docs/js/scalar.js', '/docs/openapi.json', '/docs/openapi.yaml']) {
      scope.get(url, async (request, reply) => {
        // The page names its files relative to itself.
        const [path = ''] = request.url.split('?')
        if (url === '/docs/' && !path.endsWith('/')) return reply.redirect(`${path}/`, 301)
        const { headers, body } = await readFile(url)
        return reply.headers(headers).send(body)
      })
    }
  })
}

/** Makes something with its first use. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** A file of the reference page. */
interface ReferenceFile {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Returns the files of the reference page. They are rendered once, with the first request, by the package's own server:
 * its page has an inline script, which the policy names by its hash.
 */
function createReference(document: () => object): (url: string) => Promise<ReferenceFile> {
  const openServer = async () => {
    // 3 MB of script that few processes ever send.
    const { default: scalar } = await import('@scalar/fastify-api-reference')
    const app = Fastify()
    app.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        content: document(),
        pageTitle: 'Plaza API',
        withDefaultFonts: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        telemetry: false,
        agent: { disabled: true },
      },
    })
    // Awaiting the server itself would start it.
    return { app }
  }
  let server: ReturnType<typeof openServer> | null = null
  const files = new Map<string, ReferenceFile>()
  return async (url) => {
    server ??= openServer().catch((error: unknown) => {
      server = null
      throw error
    })
    const file = files.get(url) ?? (await render((await server).app, url))
    files.set(url, file)
    return file
  }
}

async function render(server: FastifyInstance, url: string): Promise<ReferenceFile> {
  const reply = await server.inject(url)
  if (reply.statusCode !== 200) throw new Error(`${url} of the reference page: ${reply.statusCode}`)
  const headers = { 'content-type': String(reply.headers['content-type']) }
  if (url.endsWith('.js')) return { headers, body: Buffer.from(withoutEval(reply.body)) }
  const body = Buffer.from(reply.body)
  if (!url.endsWith('/')) return { headers, body }
  return { headers: { ...headers, 'content-security-policy': contentPolicy(reply.body) }, body }
}

/** The browser may load nothing from other hosts. The package's script writes its own style elements. */
function contentPolicy(page: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${inlineSources(page, 'script')}`,
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The one place of the script that evaluates text: its validation library tries whether it may, to compile its checks.
 * Without, it interprets them; the attempt itself would be reported as a violation of the policy.
 */
const evalProbe = /try\{return Function\(``\),!0\}catch\{return!1\}/g

function withoutEval(script: string): string {
  return script.replace(evalProbe, 'return!1')
}
