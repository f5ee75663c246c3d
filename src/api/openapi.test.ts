import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { adminOperations } from '../app/admin-operations.js'
import { operations } from '../app/operations.js'
import { User } from '../graph/view/schema/user.js'
import { documentedPath, openApiDocument } from './openapi.js'
import { createSchemaWriter } from './openapi-schema.js'
import { registerDocs } from './register-docs.js'

const description = { operations, adminOperations }
const run = promisify(execFile)
const linter = join('node_modules', '.bin', 'redocly')

/** The linter's recommended rules, without those that our paths, which the specification gives, break. */
const LINTER_CONFIG = `
extends: [recommended]
rules:
  no-path-trailing-slash: off
  no-ambiguous-paths: off
`

it('is valid by a published linter, without a warning', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plaza-openapi-'))
  try {
    const file = join(directory, 'openapi.json')
    const config = join(directory, 'redocly.yaml')
    await writeFile(file, JSON.stringify(openApiDocument(description)))
    await writeFile(config, LINTER_CONFIG)
    // It would look for a newer version of itself.
    const env = {
      ...process.env,
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      REDOCLY_TELEMETRY: 'off',
      CI: 'true',
    }
    // It fails when it finds an error, and prints it all the same.
    const { stdout } = await run(linter, ['lint', file, '--config', config, '--format', 'json'], {
      env,
    }).catch((error) => error)
    expect(JSON.parse(stdout).problems).toEqual([])
  } finally {
    await rm(directory, { recursive: true })
  }
})

it('lists every operation, and nothing else', () => {
  const { paths } = openApiDocument(description) as { paths: Record<string, object> }
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const served = [
    ...operations.map(({ method, path }) => `${method} ${documentedPath(path)}`),
    ...adminOperations.map(({ method, path }) => `${method} /admin/${path}`),
  ]
  expect(listed.sort()).toEqual(served.sort())
})

it('says whether an operation changes something, also where its method does not', () => {
  const { paths } = openApiDocument(description) as { paths: Record<string, Record<string, object>> }
  const changes = (path: string, method: string) =>
    (paths[path]?.[method] as { 'x-plaza-change'?: unknown } | undefined)?.['x-plaza-change']
  expect([changes('/v2/social/cast/', 'get'), changes('/v2/social/cast/', 'post')]).toEqual([false, true])
  expect(changes('/v2/social/user/fid/', 'get')).toBe(true)
  expect(changes('/v2/social/webhook/preview/', 'post')).toBe(false)
})

it('documents bearer tokens as a security scheme, not as a header', () => {
  const { paths } = openApiDocument(description) as { paths: Record<string, Record<string, object>> }
  expect(paths['/v2/social/notifications/seen/']?.post).toMatchObject({
    security: [{ ApiKeyAuth: [] }, { ApiKeyAuth: [], UserToken: [] }],
    parameters: [],
  })
  expect(paths['/v2/social/cast/']?.get).not.toHaveProperty('security')
  expect(JSON.stringify(paths)).not.toContain('"name":"authorization"')
})

it('viewer_fid of a lookup -> its description names no users who are left out', () => {
  const lookups = operations.filter(
    ({ query }) => query?.properties.viewer_fid?.description === 'The viewer. Adds `viewer_context`.',
  )
  expect(lookups.map(({ path }) => path).toSorted()).toEqual([
    'cast',
    'casts',
    'channel',
    'channel/bulk',
    'channel/list',
    'channel/search',
    'channel/trending',
    'channel/user',
    'user/bulk',
    'user/bulk-by-address',
    'user/by_username',
    'user/by_x_username',
    'user/channels',
  ])
})

it('every operation documents that it is not served, that another server fails, and that a body is too large', () => {
  const { paths } = openApiDocument(description) as { paths: Record<string, Record<string, object>> }
  const documented = Object.values(paths).flatMap(
    (methods) => Object.values(methods) as { requestBody?: object; responses: Record<string, object> }[],
  )
  const refusals = new Set(
    documented.map(({ requestBody, responses }) =>
      [requestBody !== undefined, ...['413', '501', '502'].map((status) => status in responses)].join(),
    ),
  )
  expect([...refusals].sort()).toEqual(['false,false,true,true', 'true,true,true,true'])
})

it('the header of the paying wallet is required', () => {
  const { paths } = openApiDocument(description) as { paths: Record<string, Record<string, object>> }
  expect(paths['/v2/social/storage/buy/']?.post).toMatchObject({
    parameters: [{ name: 'x-wallet-id', in: 'header', required: true }],
  })
  expect(JSON.stringify(paths)).not.toContain('isDocumentedRequired')
})

it('an integer that may exceed int32 has the format int64', () => {
  const unmarked: string[] = []
  const collect = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, format, maximum, examples } = value as Record<string, unknown>
    const values = [maximum, examples].flat().map(Number)
    if (type === 'integer' && format !== 'int64' && values.some((each) => each > 2_147_483_647))
      unmarked.push(path)
    for (const [name, part] of Object.entries(value)) collect(part, `${path}/${name}`)
  }
  collect(openApiDocument(description), '')
  expect(unmarked).toEqual([])
})

it('lists no operation twice', () => {
  const names = operations.map(({ method, path }) => `${method} ${path}`)
  expect(names).toEqual([...new Set(names)])
})

it('a named schema -> a component; deprecation is marked at its use', () => {
  const writer = createSchemaWriter()
  expect(writer.write(User)).toEqual({ $ref: '#/components/schemas/User' })
  const {
    User: component,
    UserProfile,
    TextRange,
  } = writer.components as Record<string, { properties: object }>
  expect(component?.properties).toMatchObject({
    fid: { $ref: '#/components/schemas/Fid' },
    display_name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    experimental: { deprecated: true, type: 'object' },
  })
  expect(UserProfile).toBeDefined()
  expect(TextRange?.properties).toMatchObject({ start: { type: 'number', minimum: 0 } })
  expect(JSON.stringify(writer.components)).not.toContain('$id')
})

it('the reference page loads nothing from other hosts', async () => {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await registerDocs(app, description, { clock: Date.now })
  const document = await app.inject('/openapi.json')
  expect([document.statusCode, document.json().openapi]).toEqual([200, '3.1.0'])

  expect((await app.inject('/docs')).headers.location).toBe('/docs/')
  const page = await app.inject('/docs/')
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-security-policy']).toContain("connect-src 'self'")
  expect(page.body).not.toMatch(/https?:/)
  const [script] = page.body.match(/(?<=src=")[^"]+/) ?? []
  const loaded = await app.inject(`/docs/${script}`)
  expect([loaded.statusCode, loaded.headers['content-type']]).toEqual([
    200,
    'application/javascript; charset=utf-8',
  ])
})
