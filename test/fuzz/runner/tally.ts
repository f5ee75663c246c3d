import type { FuzzRequest } from '../generator/requests.js'
import type { Memory } from './memory.js'

/** Something that a request should not cause. */
export interface Finding {
  readonly index: number
  readonly request: FuzzRequest
  readonly problem: string
}

/** Requests whose answers took longest, for the report. */
const MAX_SLOW = 8
/** Examples of a kind of finding. */
const MAX_EXAMPLES = 2

/** Counts answers, and keeps examples of what is wrong. */
export class FuzzTally {
  /** By the kind of request and status: `api 400`. */
  readonly statuses = new Map<string, number>()
  /** Operations with an answer below 300. */
  readonly succeeded = new Set<string>()
  readonly #findings = new Map<string, Finding[]>()
  readonly memory: Memory[] = []
  /** Lines of the server's log that it should not have. */
  logFailures: readonly string[] = []
  failed = 0
  /** How the server ended before the run; null while it lives. */
  serverEnd: string | null = null
  /** The slowest first. */
  readonly slowest: { readonly index: number; readonly about: string; readonly ms: number }[] = []

  /** Notes the time of a request in milliseconds, for the list of the slowest. */
  took(index: number, request: FuzzRequest, ms: number): void {
    this.slowest.push({ index, about: aboutOf(request), ms: Math.round(ms) })
    this.slowest.sort((a, b) => b.ms - a.ms)
    if (this.slowest.length > MAX_SLOW) this.slowest.pop()
  }

  /** Counts an answer by kind and status; a success also for its operation. */
  answered(kind: string, status: number | string, operation?: string): void {
    const key = `${kind} ${status}`
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1)
    if (operation !== undefined && typeof status === 'number' && status < 300) this.succeeded.add(operation)
  }

  /** Counts a finding, and keeps the first examples of its kind. */
  found(finding: Finding): void {
    this.failed += 1
    const kind = kindOf(finding)
    const examples = this.#findings.get(kind) ?? []
    if (examples.length < MAX_EXAMPLES) this.#findings.set(kind, [...examples, finding])
  }

  /** The first examples of each kind. */
  get findings(): ReadonlyMap<string, readonly Finding[]> {
    return this.#findings
  }
}

/** Findings of the same kind usually have one cause: the same operation, and the same text without its numbers. */
function kindOf({ request, problem }: Finding): string {
  return `${aboutOf(request)}: ${problem.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…').slice(0, 160)}`
}

function aboutOf(request: FuzzRequest): string {
  if (request.via !== 'http') return `${request.via} ${request.about}`
  return request.operation ?? `${request.method} ${request.path.split(/[?%]/)[0]}`
}
