// Renders the chart with the values of each case. Helm does it where it is installed; otherwise Go's template engine does.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const CHART = join(HERE, 'plaza')
const CASES = join(HERE, 'cases')
const RELEASE = 'plaza'
const NAMESPACE = 'social'
/** Debian's packages of Go's libraries, for which Go looks without modules. */
const DEBIAN_GO = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' }

/** The names of the cases: files of values. */
export const cases = readdirSync(CASES).map((file) => file.replace('.yaml', ''))

/** Where the rendered manifests of a case are kept. */
export function renderedFile(name) {
  return join(HERE, 'rendered', `${name}.yaml`)
}

/** A hash of everything that is rendered. */
export function sourceHash() {
  const hash = createHash('sha256')
  for (const folder of [CHART, CASES]) {
    for (const file of readdirSync(folder, { recursive: true }).sort()) {
      const path = join(folder, file)
      if (statSync(path).isFile()) hash.update(file).update('\0').update(readFileSync(path))
    }
  }
  return hash.digest('hex')
}

/** What can render here: `helm`, `go`, or null. */
export function renderer() {
  if (spawnSync('helm', ['version']).status === 0) return 'helm'
  const sprig = spawnSync('go', ['list', 'github.com/Masterminds/sprig', 'sigs.k8s.io/yaml'], {
    env: { ...process.env, ...DEBIAN_GO },
  })
  return sprig.status === 0 ? 'go' : null
}

/** Renders all cases: the manifests of each, in the order of the templates. */
export function renderCases() {
  const directory = mkdtempSync(join(tmpdir(), 'plaza-chart-'))
  try {
    const render = renderer() === 'helm' ? renderWithHelm : goRenderer(directory)
    return Object.fromEntries(cases.map((name) => [name, manifests(render(join(CASES, `${name}.yaml`)))]))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The manifests of a text with many documents, sorted: Helm and Go print them in different orders. */
export function manifests(text) {
  const found = parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS()
  })
  const keyOf = ({ kind, metadata }) => `${kind} ${metadata.name}`
  return found.filter((manifest) => manifest !== null).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function renderWithHelm(values) {
  return run('helm', ['template', RELEASE, CHART, '--namespace', NAMESPACE, '--values', values])
}

function goRenderer(directory) {
  const program = join(directory, 'render')
  run('go', ['build', '-o', program, join(HERE, 'render', 'main.go')], { ...process.env, ...DEBIAN_GO })
  return (values) => run(program, [CHART, RELEASE, NAMESPACE, values])
}

function run(command, args, env = process.env) {
  return execFileSync(command, args, { encoding: 'utf8', env })
}
