/**
 * The protocol's messages, events and enums, generated from `proto/*.proto` by `npm run proto`.
 *
 * They are Plaza's own, because the published packages lack channels (docs/protocol.md §7.1). Requests, replies
 * and the gRPC service are generated beside them, and only the hub's API and its client load those.
 */
export * from './proto/generated/hub_event.js'
export * from './proto/generated/message.js'
export * from './proto/generated/onchain_event.js'
export * from './proto/generated/username_proof.js'
