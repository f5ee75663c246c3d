import type { MessageType } from '../../../protocol/definitions.js'
import { channelSlotKey, memberSubject } from '../../../protocol/kinds/channel.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { ChannelMemberState } from '../../../protocol/proto/generated/channel_requests.js'

/** A channel of the registry, with everyone who has verified the address of its owner. */
export interface RegisteredChannel {
  readonly owner: Buffer
  readonly verifiers: readonly Verifier[]
}

/** A user with a live verification of an address. */
export interface Verifier {
  readonly fid: number
  /** Farcaster seconds. */
  readonly ts: number
  readonly hash: Buffer
}

/** The message that a slot of a channel holds: a row of `hub.channel_messages`. */
export interface ChannelSlot {
  readonly channelId: Buffer
  readonly type: MessageType
  /** Subject of the slot: `channelSubject`. */
  readonly subject: Buffer
  /** State of the member, or action of the moderation; else 0. */
  readonly state: number
  readonly fid: number
  /** Farcaster seconds. */
  readonly ts: number
  readonly hash: Buffer
  readonly encoded: Buffer
  /** The decoded message. */
  readonly message: () => SignedMessage
}

/** Slots ever used in a channel, and its moderators. */
export interface ChannelCounts {
  readonly members: number
  readonly moderators: number
  readonly moderations: number
}

const noCounts: ChannelCounts = { members: 0, moderators: 0, moderations: 0 }

/** The state of the channels that the messages of a batch name, before and after it. */
export class ChannelState {
  readonly #channels = new Map<string, RegisteredChannel>()
  readonly #slots = new Map<string, { before: ChannelSlot | null; current: ChannelSlot | null }>()
  readonly #counts = new Map<string, { channelId: Buffer; counts: ChannelCounts; changed: boolean }>()

  loadChannel(channelId: Buffer, channel: RegisteredChannel): void {
    this.#channels.set(channelId.toString('latin1'), channel)
  }

  loadSlot(slot: ChannelSlot): void {
    this.#slots.set(slotId(slot.type, slot.channelId, slot.subject), { before: slot, current: slot })
  }

  loadCounts(channelId: Buffer, counts: ChannelCounts): void {
    this.#counts.set(channelId.toString('latin1'), { channelId, counts, changed: false })
  }

  channel(channelId: Buffer): RegisteredChannel | null {
    return this.#channels.get(channelId.toString('latin1')) ?? null
  }

  slot(type: MessageType, channelId: Buffer, subject: Buffer): ChannelSlot | null {
    return this.#slots.get(slotId(type, channelId, subject))?.current ?? null
  }

  /** Returns the state of a user's member row; NONE without one. */
  memberState(type: MessageType.CHANNEL_MEMBER, channelId: Buffer, fid: number): ChannelMemberState {
    return this.slot(type, channelId, memberSubject(fid))?.state ?? ChannelMemberState.NONE
  }

  counts(channelId: Buffer): ChannelCounts {
    return this.#counts.get(channelId.toString('latin1'))?.counts ?? noCounts
  }

  set(slot: ChannelSlot): void {
    const id = slotId(slot.type, slot.channelId, slot.subject)
    this.#slots.set(id, { before: this.#slots.get(id)?.before ?? null, current: slot })
  }

  /** Changes the counts of a channel by these numbers. */
  addCounts(channelId: Buffer, delta: Partial<ChannelCounts>): void {
    const counts = this.counts(channelId)
    this.#counts.set(channelId.toString('latin1'), {
      channelId,
      counts: {
        members: counts.members + (delta.members ?? 0),
        moderators: counts.moderators + (delta.moderators ?? 0),
        moderations: counts.moderations + (delta.moderations ?? 0),
      },
      changed: true,
    })
  }

  changedSlots(): ChannelSlot[] {
    return [...this.#slots.values()].flatMap(({ before, current }) =>
      current && current !== before ? [current] : [],
    )
  }

  changedCounts(): { readonly channelId: Buffer; readonly counts: ChannelCounts }[] {
    return [...this.#counts.values()].filter(({ changed }) => changed)
  }
}

function slotId(type: MessageType, channelId: Uint8Array, subject: Uint8Array): string {
  return channelSlotKey(type, channelId, subject).toString('latin1')
}
