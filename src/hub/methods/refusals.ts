import { PlazaError } from '../../platform/errors.js'
import { shardNumbers } from '../shard-count.js'

/** The error of a request whose parameter or member `property` is wrong. */
export function invalid(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}

/** @throws PlazaError always: the parameter is missing. */
export function required(property: string): never {
  throw invalid(property, 'is required')
}

/** @throws PlazaError `not_found` when there is no value. */
export function requireFound<Value>(value: Value | null | undefined, message: string): Value {
  if (value === null || value === undefined) throw new PlazaError('not_found', message)
  return value
}

/** A shard of this hub. */
export function requireShard(shard: number, shards: number, property: string): number {
  if (shard < 1 || shard > shards) throw invalid(property, `${shard}: Shard not found`)
  return shard
}

/** The shard of a request for events, or all of them when it names none. */
export function requestedShards(shard: number | null | undefined, shards: number): number[] {
  if (shard === null || shard === undefined) return shardNumbers(shards)
  return [requireShard(shard, shards, 'shard_index')]
}
