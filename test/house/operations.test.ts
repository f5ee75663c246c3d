import { readFileSync } from 'node:fs'
import type { TSchema } from '@sinclair/typebox'
import { expect, it } from 'vitest'
import { operationTags, pathsOf } from '../../src/api/operation.js'
import { expectationOf, isRequired } from '../../src/api/parse-query.js'
import { adminOperations } from '../../src/app/admin-operations.js'
import { hostedOperations } from '../../src/app/hosted-operations.js'
import { operations } from '../../src/app/operations.js'
import { versionOneOperations } from '../../src/features/version-one/operations.js'
import type { GateLimits } from '../../src/platform/limits/work-gate.js'
import { gateLimits } from '../../src/platform/limits/work-limits.js'
import { workPrices } from '../../src/platform/limits/work-prices.js'

/** Larger bounds say nothing: they are those of the type. */
const MAX_SHOWN_BOUND = 1_000_000

it.each([
  ['docs/compatibility.md', { operations: parameterTable, description: descriptionTable }],
  [
    'docs/api.md',
    { operations: tagTable, longWaits: longWaitTable, workPrices: workPriceTable, workTurns: workTurnTable },
  ],
  ['README.md', { served: servedTable }],
])('%s lists every operation; `npm run docs:operations` writes it', async (file, tables) => {
  const page = readFileSync(file, 'utf8')
  const written = Object.entries(tables).reduce((text, [name, table]) => withTable(text, name, table()), page)
  await expect(written).toMatchFileSnapshot(`../../${file}`)
})

it('errors name what each parameter and member expects, with bounds that it has', () => {
  const schemas = [...operations, ...adminOperations].flatMap(({ query, body }) =>
    [query, body].flatMap((schema) => (schema === undefined ? [] : partsOf(schema))),
  )
  expect(schemas.length).toBeGreaterThan(500)
  expect(
    schemas.filter(({ pattern, patternText }) => pattern !== undefined && patternText === undefined),
  ).toEqual([])
  expect([...new Set(schemas.map(expectationOf))].filter((text) => /undefined|1 to 0/.test(text))).toEqual([])
})

it('the prices name every operation that has one', () => {
  const requests = Object.values(workPrices).map((price) => price.requests)
  const paths = [...operations, ...versionOneOperations].flatMap(({ path, price }) => (price ? [path] : []))
  expect(paths.length).toBeGreaterThan(15)
  // "also with the fid in its path"
  const names = paths.map((path) => `\`${path.replace('/:fid/', '/')}\``)
  expect(names.filter((name) => !requests.some((text) => text.includes(name)))).toEqual([])
})

/** A schema and all below it. */
function partsOf(schema: TSchema): TSchema[] {
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    schema.items ?? [],
  ].flat()
  return [schema, ...(parts as TSchema[]).flatMap(partsOf)]
}

function withTable(page: string, name: string, rows: readonly string[]): string {
  const [before, rest] = page.split(`<!-- ${name}:start -->\n`)
  const [, after] = (rest ?? '').split(`<!-- ${name}:end -->`)
  if (before === undefined || after === undefined) throw new Error('the page has no place for the table')
  return `${before}<!-- ${name}:start -->\n${rows.join('\n')}\n<!-- ${name}:end -->${after}`
}

/** Operations of the hosted API's description, with their state. */
function descriptionTable(): string[] {
  const rows = hostedOperations(operations).map(
    ({ method, path, state, note }) => `| \`${method} ${path}\` | ${state} | ${note ?? ''} |`,
  )
  return ['| operation | state | what is missing, or why |', '|---|---|---|', ...rows]
}

/** How many operations of each tag are served, and how many of them the hosted API has. */
function servedTable(): string[] {
  const hosted = hostedOperations(operations)
  const hostedPaths = new Set(hosted.flatMap(({ method, paths }) => paths.map((path) => `${method} ${path}`)))
  const rows = Object.entries(operationTags).flatMap(([tag, text]) => {
    const ofTag = operations.filter((operation) => operation.tag === tag)
    const shared = ofTag.filter(({ method, path }) =>
      pathsOf(path).some((full) => hostedPaths.has(`${method} ${full}`)),
    )
    return ofTag.length === 0
      ? []
      : [`| ${tag} | ${shared.length} | ${ofTag.length - shared.length} | ${text} |`]
  })
  const count = (state: string) => hosted.filter((operation) => operation.state === state).length
  return [
    '| Group | of the hosted API | more | |',
    '|---|---|---|---|',
    ...rows,
    '',
    `Of the ${hosted.length} operations that the hosted API describes, ${count('served')} are served, ` +
      `${count('served in part')} in part, ${count('501')} answer 501, and ${count('out of scope')} are out of scope.`,
    '[docs/compatibility.md](docs/compatibility.md) states every operation and every difference. Below `/v1` and over gRPC,',
    '[the hub API](docs/hub-api.md) is that of the protocol’s reference node.',
  ]
}

/** Operations that may take longer than `REQUEST_TIMEOUT_MS`. */
function longWaitTable(): string[] {
  const rows = operations.flatMap(({ method, path, longWait }) =>
    longWait ? [`| \`${method} ${path}\` | ${longWait.limitMs / 1000} s | ${longWait.reason} |`] : [],
  )
  return ['| operation | at most | waits for |', '|---|---|---|', ...rows]
}

/** Prices of heavy requests. */
function workPriceTable(): string[] {
  const rows = Object.values(workPrices).map(
    ({ requests, msPerRequest, msPerKb }) =>
      `| ${requests} | ${msPerRequest.toLocaleString('en')} | ${msPerKb} |`,
  )
  return ['| request | milliseconds | and for each kB of the body and the reply |', '|---|---|---|', ...rows]
}

/** How many heavy requests run and wait. */
function workTurnTable(): string[] {
  const { reads, writes } = gateLimits(1)
  const row = (kind: string, most: string | number, ofCaller: string | number, size: GateLimits) =>
    `| ${kind} | ${most} | ${ofCaller} | ${size.maxWaitingOfCaller} | ${size.maxWaiting} |`
  return [
    '| kind | at once | of one caller | waiting of one caller, more: 429 | waiting in all, more: 503 |',
    '|---|---|---|---|---|',
    row('reads', '`WORK_CONCURRENCY`', 'half of them, rounded up', reads),
    row('bulk writes', writes.maxRunning, writes.maxRunningOfCaller, writes),
  ]
}

/** Operations by path, with their parameters. */
function parameterTable(): string[] {
  const rows = operations
    .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
    .map(({ method, path, ...operation }) => {
      const headers = Object.keys(operation.headers?.properties ?? {}).map((name) => `header ${name}`)
      const members = Object.entries((operation.query ?? operation.body)?.properties ?? {}).map(memberText)
      const cells = [...headers, ...members].map((text) => `\`${text}\``).join(', ') || '–'
      return `| \`${method} ${path}\` | ${cells} | ${operation.summary} |`
    })
  return ['| operation | parameters or members of the body | summary |', '|---|---|---|', ...rows]
}

/** Operations by tag, in the order of the OpenAPI document. */
function tagTable(): string[] {
  const groups = Object.keys(operationTags).flatMap((tag) =>
    operations
      .filter((operation) => operation.tag === tag)
      .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
      .map(({ method, path, summary }) => `| ${tag} | \`${method} ${path}\` | ${summary} |`),
  )
  const admin = adminOperations.map(
    ({ method, path, summary }) => `| Admin | \`${method} /admin/${path}\` | ${summary} |`,
  )
  return ['| tag | operation | summary |', '|---|---|---|', ...groups, ...admin]
}

function sortKey({ path, method }: { readonly path: string; readonly method: string }): string {
  return `${path} ${method}`
}

/** `limit 1..100 =25`: a name with `*` if it is required, its bounds and its default. */
function memberText([name, schema]: readonly [string, TSchema]): string {
  const byDefault = schema.default === undefined || schema.default === '' ? '' : ` =${schema.default}`
  return `${name}${isRequired(schema) ? '*' : ''}${boundText(schema)}${byDefault}`
}

function boundText({ type, minimum, maximum, maxItems }: TSchema): string {
  if (type === 'array') return `[..${maxItems}]`
  const isNumber = type === 'integer' || type === 'number'
  return isNumber && maximum !== undefined && maximum < MAX_SHOWN_BOUND ? ` ${minimum}..${maximum}` : ''
}
