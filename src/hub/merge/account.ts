import type { StorageLimits, StorageUnits } from '../storage-limits.js'

/** What the chain says of a fid: the ground on which its messages are accepted. */
export interface Account {
  readonly fid: number
  readonly custodyAddress: Buffer
  /** Unix seconds; 0 if the pro tier was never bought. */
  readonly proUntil: number
  /** Units that it rented itself, whoever uses them. */
  readonly ownUnits: StorageUnits
  /** Units that others use. */
  readonly lentUnits: StorageUnits
  /** What own units, less the lent and plus the borrowed, allow in each set. */
  readonly limits: StorageLimits
  /** The same with every unit that was ever rented; without end where none was. */
  readonly historicalLimits: StorageLimits
}
