// Writes the dashboards as Grafana reads them: `npm run dashboards`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dashboards } from './dashboards.mjs'

const folder = new URL('dashboards/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, content] of Object.entries(dashboards)) {
  writeFileSync(new URL(`plaza-${name}.json`, folder), `${JSON.stringify(content, null, 2)}\n`)
}
