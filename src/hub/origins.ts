/** The checks of messages of an origin, and what becomes of them. */
export interface OriginRules {
  /** Whether signatures are verified, besides the claims inside messages: form and hashes always are. */
  readonly verifiesSignatures: boolean
  /**
   * Another hub has accepted the messages, and chains confirmed their claims when they were new. Chains are not asked again,
   * unless the operator wants it, and timestamps are not compared with the clock.
   */
  readonly isSynced: boolean
  /**
   * Permissions of the messages may have ended since they were accepted. So a key that was a signer at any time is enough,
   * expired storage counts, and the pro tier and the rules for senders are not checked. Conflicts are resolved as always.
   */
  readonly isHistorical: boolean
  /** The messages are also for the upstream, if the hub publishes (`HubOptions.publishes`). */
  readonly isOutgoing: boolean
}

const checked = { verifiesSignatures: true, isSynced: false, isHistorical: false, isOutgoing: false } as const

/** The places that messages come from. What another hub stores, or what is made up, is never sent to the upstream. */
export const origins = {
  /** A client of this server, which has signed them itself. */
  client: { ...checked, isOutgoing: true },
  /** A client for which this process has just signed them. */
  signer: { ...checked, verifiesSignatures: false, isOutgoing: true },
  /** This server: they are checked like those of clients, and stay here. */
  local: checked,
  /**
   * The log of an upstream: they are in the order in which they were accepted. Its prunes are not copied: the limits of
   * today have to prune here what they pruned there.
   */
  log: { ...checked, isSynced: true },
  /** The stored messages of an upstream or of an archive, in no order. */
  store: { ...checked, isSynced: true, isHistorical: true },
  /** The demo, which has just signed them. The names of its users are on no chain. */
  demo: { ...checked, verifiesSignatures: false, isSynced: true },
} as const satisfies Readonly<Record<string, OriginRules>>

/** A place that messages come from. */
export type Origin = keyof typeof origins
