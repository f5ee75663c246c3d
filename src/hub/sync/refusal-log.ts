import type { Refusal } from '../../platform/errors.js'
import type { Log } from '../../platform/log/log.js'
import type { MergeItem } from '../merge/shard-writer.js'
import { fidOfItem } from './reconcile-queue.js'

/** Logs each reason for a refusal once, with an example: an upstream may send millions of the same kind. */
export class RefusalLog {
  readonly #log: Log
  readonly #loggedReasons = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  logOnce(item: MergeItem | null, { code, message }: Refusal): void {
    const reason = `${code}: ${message.replace(/"[^"]*"/g, '"…"').replace(/\d+/g, '…')}`
    if (this.#loggedReasons.has(reason)) return
    this.#loggedReasons.add(reason)
    const example = item === null ? {} : { fid: fidOfItem(item), kind: item.kind }
    this.#log.warn({ code, reason: message, ...example }, 'something of the upstream was refused')
  }
}
