import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Whether a part was built from these files as they are: same names, sizes and times. 1,300 files take 0.03 s. Reading them
 * would also notice a checkout that changed only times, and take longer than that is worth: a build takes seconds.
 */
export class Stamp {
  /**
   * @param {string} path Where the stamp is kept.
   * @param {{ inputs: string[], output: string }} part Files and folders that it is built from, and a file that it writes.
   */
  constructor(path, { inputs, output }) {
    this.path = path
    this.output = output
    this.value = digestOf(inputs)
  }

  /** Whether the output was built from these inputs. */
  isCurrent() {
    return existsSync(this.output) && existsSync(this.path) && readFileSync(this.path, 'utf8') === this.value
  }

  /** To be called after the build: a change during it is built the next time. */
  write() {
    mkdirSync(dirname(this.path), { recursive: true })
    writeFileSync(this.path, this.value)
  }
}

function digestOf(inputs) {
  const hash = createHash('sha256')
  for (const path of inputs.flatMap(filesOf).sort()) {
    const { mtimeMs, size } = statSync(path)
    hash.update(`${path} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex')
}

function filesOf(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== 'testing' && !name.endsWith('.test.ts'))
    .flatMap((entry) => (entry.isDirectory() ? filesOf(join(path, entry.name)) : [join(path, entry.name)]))
}
