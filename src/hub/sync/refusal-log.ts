import type { Refusal } from '../../platform/errors.js'
import type { Log } from '../../platform/log/log.js'
import type { MergeItem } from '../merge/shard-writer.js'
import { fidOf } from './suspects.js'

/** Logs each reason for a refusal once, with an example: an upstream may send millions of the same kind. */
export class RefusalLog {
  readonly #log: Log
  readonly #told = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  tell(item: MergeItem | null, { code, message }: Refusal): void {
    const reason = `${code}: ${message.replace(/"[^"]*"/g, '"…"').replace(/\d+/g, '…')}`
    if (this.#told.has(reason)) return
    this.#told.add(reason)
    const example = item === null ? {} : { fid: fidOf(item), kind: item.kind }
    this.#log.warn({ code, reason: message, ...example }, 'something of the upstream was refused')
  }
}
