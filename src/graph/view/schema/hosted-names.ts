/**
 * Names of the hosted service that Plaza has neutral ones beside (docs/compatibility.md §26), by the neutral name.
 * Members are sent and accepted under both; the value of `object` follows the path: `/v2/farcaster` has the hosted
 * one, `/v2/social` the neutral one.
 */
export const hostedNames = {
  members: {
    service_user_score: 'neynar_user_score',
    minimum_trader_service_score: 'minimum_trader_neynar_score',
    sponsored_by_service: 'sponsored_by_neynar',
  },
  objects: {
    social_fungible: 'farcaster_fungible',
  },
} as const
