import { entersOnShardZero, judge, type Setting } from './judge.js'
import { type Data, type Envelope, isChannelType, readEnvelope, shortFid, Type } from './message.js'
import { resolverFault } from './profile-state.js'
import type { State } from './state.js'
import { type Fault, invalid, merged, refused, type Verdict } from './verdict.js'

/** The verdicts of one bulk call, in the order of the call, and what it changes. */
export interface BulkJudgement {
  readonly verdicts: readonly Verdict[]
  readonly apply: (state: State) => void
  /** The same, were each message merged or refused for itself. */
  readonly separately: Omit<BulkJudgement, 'separately'>
}

interface Entry {
  readonly index: number
  readonly message: Envelope
  readonly data: Data
}

/**
 * Judges messages that are submitted together. What shard 0 decides is refused; of all others of one fid
 * either every one is merged, or every one has the first fault.
 * @throws WireError when the call does not decode.
 */
export function judgeBulk(state: State, messages: readonly Uint8Array[], setting: Setting): BulkJudgement {
  const verdicts = new Array<Verdict>(messages.length).fill(merged)
  const byFid = new Map<number, Entry[]>()
  for (const [index, bytes] of messages.entries()) {
    const message = readEnvelope(bytes)
    const { data } = message
    if (data === undefined) {
      verdicts[index] = refused(invalid('message has no data'))
    } else if (isChannelType(data.type) || entersOnShardZero(data.type, setting)) {
      verdicts[index] = refused(invalid('submit bulk messages not supported for shard 0'))
    } else {
      const fid = shortFid(data.fid)
      byFid.set(fid, [...(byFid.get(fid) ?? []), { index, message, data }])
    }
  }
  let result = state
  for (const entries of byFid.values()) {
    const attempt = judgeTogether(result, entries, setting)
    if ('code' in attempt) {
      for (const { index } of entries) verdicts[index] = refused(attempt)
      continue
    }
    result = attempt.after
    for (const [index, verdict] of attempt.verdicts) verdicts[index] = verdict
  }
  for (const { index, data } of [...byFid.values()].flat()) {
    const wrong = resolverFault(data)
    if (wrong && verdicts[index]!.fault === null) verdicts[index] = refused(wrong)
  }
  const end = result
  const entries = [...byFid.values()].flat()
  return {
    verdicts,
    apply: (target) => replace(target, end),
    separately: judgeSeparately(state, entries, verdicts, setting),
  }
}

/** Each message for itself, in the order of a block; `others` are the verdicts of those outside of it. */
function judgeSeparately(
  state: State,
  entries: readonly Entry[],
  others: readonly Verdict[],
  setting: Setting,
): Omit<BulkJudgement, 'separately'> {
  const after = state.clone()
  const verdicts = [...others]
  for (const { index, message, data } of [...entries].sort(inBlockOrder)) {
    const { verdict, apply } = judge(after, message, data, setting, after)
    const resolution = verdict.fault === null ? resolverFault(data) : null
    verdicts[index] = resolution ? refused(resolution) : verdict
    if (!resolution) apply(after)
  }
  return { verdicts, apply: (target) => replace(target, after) }
}

/** The state after all messages of one fid, or the first fault. */
function judgeTogether(
  state: State,
  entries: readonly Entry[],
  setting: Setting,
): { after: State; verdicts: Map<number, Verdict> } | Fault {
  const simulated = state.clone()
  const after = state.clone()
  const verdicts = new Map<number, Verdict>()
  for (const { index, message, data } of [...entries].sort(inBlockOrder)) {
    const { verdict, apply } = judge(simulated, message, data, setting, state)
    if (verdict.fault !== null) return verdict.fault
    verdicts.set(index, verdict)
    apply(simulated)
    // What a chain would have to confirm is simulated, and refused afterwards.
    if (resolverFault(data) === null) apply(after)
  }
  return { after, verdicts }
}

/** Verifications, proofs, names and addresses, other user data, the rest; each by time and hash. */
function inBlockOrder(a: Entry, b: Entry): number {
  return (
    priority(a.data) - priority(b.data) ||
    a.data.timestamp - b.data.timestamp ||
    Buffer.compare(a.message.hash, b.message.hash)
  )
}

function priority({ type, body }: Data): number {
  if (type === Type.VERIFICATION_ADD) return 0
  if (type === Type.USERNAME_PROOF) return 1
  if (type !== Type.USER_DATA_ADD) return 4
  return [6, 11, 12].includes(body?.value.type as number) ? 2 : 3
}

function replace(target: State, source: State): void {
  for (const [id, set] of source.messages) target.messages.set(id, set)
  for (const [key, value] of source.keys) target.keys.set(key, value)
}
