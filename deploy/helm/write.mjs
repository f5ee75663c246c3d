// Writes the manifests of each case to rendered/, for the tests and for those who have no Helm: `npm run chart`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { stringify } from 'yaml'
import { renderCases, renderedFile, renderer, sourceHash } from './chart.mjs'

if (renderer() === null) {
  const packages = 'golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev'
  console.error(`Rendering the chart needs helm, or the Debian packages ${packages}.`)
  process.exit(1)
}
const head = `# Written by \`npm run chart\`. Hash of the chart and the cases: ${sourceHash()}\n`
for (const [name, manifests] of Object.entries(renderCases())) {
  const file = renderedFile(name)
  mkdirSync(dirname(file), { recursive: true })
  const options = { aliasDuplicateObjects: false, lineWidth: 0 }
  writeFileSync(file, head + manifests.map((manifest) => `---\n${stringify(manifest, options)}`).join(''))
}
