import { Type } from '@sinclair/typebox'

/** A message in the JSON of the hub API. */
export const PublishMessageResponse = Type.Object(
  {},
  {
    $id: 'PublishMessageResponse',
    additionalProperties: true,
    examples: [
      {
        data: {
          type: 'MESSAGE_TYPE_CAST_ADD',
          fid: 3,
          timestamp: 168_350_400,
          network: 'FARCASTER_NETWORK_MAINNET',
          castAddBody: {
            text: 'The first tomatoes are ripe.',
            mentions: [],
            mentionsPositions: [],
            embeds: [],
          },
        },
        hash: '0x71d5225f77e0164388b1d4c120825f3a2c1f131c',
        hashScheme: 'HASH_SCHEME_BLAKE3',
        signature: 'tQ0u4H3u3cEJ5uX5m2r7gB0mZ4l1y8nq2v6o9wYx7c1b4d2e8f0a3s5k6j7h8g9f0d1s2a3q4w5e6r7t8y9u0A==',
        signatureScheme: 'SIGNATURE_SCHEME_ED25519',
        signer: '0x5d9a0c1f3b7e2a4c6e8d0f1b3a5c7e9d2f4b6a8c0e1d3f5b7a9c2e4d6f8b0a1c',
      },
    ],
  },
)

/** The reply of another app. */
export const ActionResponse = Type.Object(
  {},
  { $id: 'ActionResponse', additionalProperties: true, examples: [{ result: 'watered' }] },
)
