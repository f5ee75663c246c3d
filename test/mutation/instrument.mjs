import { readFile } from 'node:fs/promises'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { glob } from './files.mjs'

const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false }

/** Members of objects whose texts are for readers, as of schemas, operations and metrics. */
const DESCRIPTIONS = new Set(['description', 'summary', 'help', 'title', 'examples', 'example'])
const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

const ignorers = [
  {
    shouldIgnore({ node }) {
      if (node.type === 'CallExpression' && isLog(node.callee)) return 'a line of the log'
      const isMember = node.type === 'ObjectProperty' && node.key.type === 'Identifier'
      if (isMember && DESCRIPTIONS.has(node.key.name)) return 'a description'
      return undefined
    },
  },
]

function isLog(callee) {
  if (callee.type !== 'MemberExpression' && callee.type !== 'OptionalMemberExpression') return false
  const { object, property } = callee
  return LEVELS.has(property.name) && /^(log|logger)$/i.test(object.name ?? object.property?.name ?? '')
}

/**
 * Makes the mutants of a target: source in which each mutant waits for its turn, and a list of them. Excluded are lines of the
 * log, descriptions, and statements of SQL without text, which fail wherever they run.
 */
export async function instrument(root, target) {
  const names = await glob(root, target.mutate, (name) => !/\.test\.ts$|\/testing\//.test(name))
  const sources = new Map()
  for (const name of names) sources.set(name, await readFile(`${root}/${name}`, 'utf8'))
  const files = [...sources].map(([name, content]) => ({ name, mutate: true, content }))
  const options = { plugins: null, excludedMutations: [], ignorers, noHeader: false }
  const { files: instrumented, mutants } = await new Instrumenter(silent).instrument(files, options)
  const described = mutants.map((mutant) => describe(mutant, sources.get(mutant.fileName)))
  return {
    contents: Object.fromEntries(instrumented.map(({ name, content }) => [name, content])),
    mutants: described.filter(({ original, before }, index) => {
      const isStatement = original.startsWith('`') && /[\w)>\]]$/.test(before)
      return mutants[index].status !== 'Ignored' && !isStatement
    }),
  }
}

function describe(mutant, source) {
  const starts = [0]
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  const { start, end } = mutant.location
  const from = starts[start.line] + start.column
  return {
    id: mutant.id,
    file: mutant.fileName,
    line: start.line + 1,
    mutator: mutant.mutatorName,
    original: source.slice(from, starts[end.line] + end.column),
    before: source.slice(Math.max(0, from - 1), from),
    replacement: mutant.replacement,
  }
}
