import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTestDatabase } from '../database.js'
import { startTestServer } from '../running-server.js'

/** Metrics of a running server by name, with their labels: null where there is no sample that has them. */
export type ServedMetrics = ReadonlyMap<string, ReadonlySet<string> | null>

/** A port of this machine on which nobody listens. */
const NOBODY = '127.0.0.1:1'

/** Starts a server with everything that has metrics. Returns how to read what it serves. */
export async function startMeasuredServer(): Promise<() => Promise<ServedMetrics>> {
  const { url } = await createTestDatabase()
  const server = await startTestServer(url, {
    HUB_GRPC_PORT: '0',
    UPSTREAM_HUB: NOBODY,
    PUBLISH_UPSTREAM: 'true',
    CHAIN_OPTIMISM_RPC_URLS: `http://${NOBODY}`,
    // Not a standby, so nothing is read from it.
    DATABASE_REPLICA_URL: url,
  })
  // The first request is counted in what the second one reads.
  await fetch(`${server.urls.main}/healthz`)
  const declared = await declaredLabels()
  return async () => parseMetrics(await (await fetch(`${server.urls.main}/metrics`)).text(), declared)
}

/** Reads Prometheus' text format. Counters without a sample get the labels of their declaration. */
function parseMetrics(text: string, declared: ReadonlyMap<string, ReadonlySet<string>>): ServedMetrics {
  const metrics = new Map<string, ReadonlySet<string> | null>()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name]
    for (const each of names) metrics.set(each, declared.get(name) ?? null)
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label ?? '')
    metrics.set(name, new Set([...(metrics.get(name) ?? []), ...names]))
  }
  return metrics
}

/** Labels of metrics as the source declares them: `name: 'plaza_x', help: …, labelNames: ['y']`. */
async function declaredLabels(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const files = (await readdir('src', { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const sources = await Promise.all(files.map((file) => readFile(join('src', file), 'utf8')))
  const declaration = /'(plaza_\w+)',\s*(?:help:)?[^\n]*\s*(?:[^\n]*\n)??\s*labelNames: \[([^\]]*)\]/g
  return new Map(
    sources.flatMap((source) =>
      [...source.matchAll(declaration)].map(
        ([, name = '', labels = '']) =>
          [name, new Set([...labels.matchAll(/'(\w+)'/g)].map(([, label]) => label ?? ''))] as const,
      ),
    ),
  )
}
