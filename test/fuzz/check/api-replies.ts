import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import { describeError, type ErrorCode, errorCodes } from '../../../src/platform/errors.js'
import type { OperationUnderTest } from '../generator/documented-operations.js'
import type { HttpRequest } from '../generator/requests.js'
import type { HttpAnswer } from '../transports/http.js'
import { hubProblem } from './hub-replies.js'

/** Every operation may refuse so (docs/errors.md), beside what its document says. */
const GENERAL_STATUSES = new Set([400, 401, 404, 413, 429])
/** Failures that the error catalog has a name for. All others are the server's own. */
const NAMED_FAILURES = new Map([
  [501, ['NotImplemented', 'NotConfigured']],
  [502, ['OtherSideFailed']],
  [503, ['Unavailable']],
])
const catalogStatuses = new Set<number>(errorCodes.map((code: ErrorCode) => describeError(code).status))

/** Checks replies against the OpenAPI document. */
export class ApiReplies {
  readonly #validators = new Map<string, ValidateFunction | null>()
  readonly #ajvs = new Map<object, Ajv2020.default>()
  readonly #operations: ReadonlyMap<string, OperationUnderTest>

  constructor(operations: readonly OperationUnderTest[]) {
    this.#operations = new Map(operations.map((operation) => [operation.id, operation]))
  }

  /** What is wrong with a reply; null if nothing is. */
  problemOf(request: HttpRequest, answer: HttpAnswer): string | null {
    const { status } = answer
    if (request.method === 'OPTIONS' || request.method === 'HEAD') return statusProblem(answer, undefined)
    if (status === 304) return null
    // A path that was broken may lead to the hub.
    if (/^\/v1(?!\/farcaster\/)/.test(request.path)) return hubProblem(request, answer)
    const body = parsed(answer.body)
    if (body === undefined)
      return `status ${status} with a body that is not JSON: ${answer.body.toString('latin1', 0, 200)}`
    const problem = statusProblem(answer, (body as { readonly code?: unknown } | null)?.code)
    if (problem !== null) return problem
    const operation = this.#operations.get(request.operation ?? '')
    if (operation === undefined || !isFor(operation, request)) return errorProblem(status, body)
    const validate = this.#validatorOf(operation, status)
    if (validate === null) {
      return GENERAL_STATUSES.has(status) || NAMED_FAILURES.has(status)
        ? errorProblem(status, body)
        : `status ${status} is not documented: ${JSON.stringify(body).slice(0, 300)}`
    }
    if (validate(body)) return status >= 400 ? errorProblem(status, body) : null
    const [first] = validate.errors ?? []
    return `status ${status} breaks its schema: ${first?.instancePath} ${first?.message}`
  }

  #validatorOf(operation: OperationUnderTest, status: number): ValidateFunction | null {
    const key = `${operation.id} ${status}`
    const known = this.#validators.get(key)
    if (known !== undefined) return known
    const { document, documentPath, method } = operation
    const given = document.paths[documentPath]?.[method.toLowerCase()]?.responses[status]
    const shared = given?.$ref?.split('/').at(-1)
    const response = shared === undefined ? given : document.components.responses[shared]
    const schema = response?.content?.['application/json'].schema
    const validate = schema === undefined ? null : this.#ajvOf(document).compile(inDocument(schema))
    this.#validators.set(key, validate)
    return validate
  }

  #ajvOf(document: OperationUnderTest['document']): Ajv2020.default {
    const known = this.#ajvs.get(document)
    if (known) return known
    const ajv = new Ajv2020.default({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: DOCUMENT, components: document.components }, DOCUMENT)
    this.#ajvs.set(document, ajv)
    return ajv
  }
}

const DOCUMENT = 'https://plaza.test/openapi.json'

/** Whether a request reaches the operation it was made for: a `?` in its path, or an empty id, may lead to another. */
function isFor({ method, paths }: OperationUnderTest, request: HttpRequest): boolean {
  const [pathname = ''] = request.path.split('?')
  return (
    request.method === method &&
    paths.some((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(pathname))
  )
}

/** The references of a schema, as absolute ones. */
function inDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${DOCUMENT}#/components/`))
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

function statusProblem({ status }: HttpAnswer, code: unknown): string | null {
  if (status < 500) return null
  const names = NAMED_FAILURES.get(status)
  if (names && (code === undefined || names.includes(String(code)))) return null
  return `status ${status} ${String(code ?? '')}`
}

/** Checks the body of an error: what clients read, and a status of the catalog. */
function errorProblem(status: number, body: unknown): string | null {
  if (status < 400) return null
  const { message, code, status: named } = (body ?? {}) as Record<string, unknown>
  const isWhole =
    typeof message === 'string' && message !== '' && typeof code === 'string' && (named ?? status) === status
  if (isWhole && catalogStatuses.has(status)) return null
  return `status ${status} with an unusual body: ${JSON.stringify(body).slice(0, 300)}`
}
