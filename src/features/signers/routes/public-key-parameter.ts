import { Type } from '@sinclair/typebox'

/** An Ed25519 public key. */
export const publicKeyParameter = Type.String({
  pattern: '^0x[a-fA-F0-9]{64}$',
  patternText: 'an Ed25519 public key: 0x and 64 hex digits',
  description: 'The key. One that an app has asked for is that app’s.',
})
