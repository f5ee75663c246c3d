import type { Database } from '../../../platform/db/connection.js'
import { Intake, type IntakeOptions, type IntakeTally } from '../../intake.js'
import { readAccount } from '../account/account-reader.js'
import { readAhead } from '../account/ahead.js'
import { Scales } from '../account/scales.js'
import type { Upstreams } from '../client/upstreams.js'
import { Suspects } from '../suspects.js'
import { markFetched, wantedFids } from './fid-list.js'

export interface BackfillOptions {
  readonly db: Database
  readonly upstreams: Upstreams
  /** The hub's door for what stands upstream. */
  readonly hub: IntakeOptions['hub']
  /** How many users are read at the same time. */
  readonly parallel: number
  /** Items that are merged together. */
  readonly batchSize?: number
  readonly signal: AbortSignal
  /** Told how many users of this run are done, and how many messages, events and names of it are merged or known. */
  readonly onProgress?: (fids: number, items: number) => void
}

/** What a run has done. */
export interface BackfillResult {
  readonly fids: number
  readonly tally: IntakeTally
  /** False when it was stopped: the next run goes on where this one was. */
  readonly isComplete: boolean
}

/**
 * Fetches every user that is written down to be fetched. A user is done when all of it is merged, and that is written
 * down for some at once: whatever happens, a later run begins with those that are not.
 *
 * @throws UpstreamFailure when no upstream answers for minutes.
 */
export async function backfill(options: BackfillOptions): Promise<BackfillResult> {
  const { db, upstreams, hub, parallel, signal } = options
  const suspects = new Suspects(db)
  /** Users that are handed over whole, and behind which item of the intake. */
  const handed: { readonly fid: number; readonly items: number }[] = []
  let fids = 0
  let taken = 0
  const settled = async (items: number) => {
    const done = handed.findIndex((each) => each.items > items)
    const finished = handed.splice(0, done < 0 ? handed.length : done)
    await suspects.flush()
    await markFetched(
      db,
      finished.map(({ fid }) => fid),
    )
    fids += finished.length
    options.onProgress?.(fids, items)
  }
  const intake = new Intake({
    hub,
    signal,
    ...(options.batchSize === undefined ? {} : { batchSize: options.batchSize }),
    onSettled: settled,
    onRefused: (item, refusal) => suspects.refused(item, refusal),
  })
  const scales = new Scales()
  const open = (fid: number) => readAccount(upstreams, fid, { signal, scales })
  const accounts = readAhead(wantedFids(db, signal), open, { parallel, scales })
  try {
    for await (const { source: fid, pages } of accounts) {
      for await (const { items, unreadable, bytes } of pages) {
        for (const refusal of unreadable) intake.refuse(refusal)
        for (const item of items) await intake.add(item)
        taken += items.length
        scales.takeOff(bytes)
      }
      handed.push({ fid, items: taken })
    }
  } catch (error) {
    // A call that is given up because of the signal fails; what was handed over is merged all the same.
    if (!signal.aborted) throw error
  }
  await intake.drain()
  await settled(taken)
  return { fids, tally: intake.tally, isComplete: !signal.aborted }
}
