import type { TSchema } from '@sinclair/typebox'
import { expect, it } from 'vitest'
import { operations } from '../../src/app/operations.js'
import { accountReplies } from './replies-accounts.js'
import { assetReplies } from './replies-assets.js'
import { inboxReplies } from './replies-inbox.js'
import { membershipReplies } from './replies-membership.js'
import { miniAppReplies } from './replies-miniapps.js'
import { onchainReplies } from './replies-onchain.js'
import { publishingReplies } from './replies-publishing.js'
import { readingReplies } from './replies-reading.js'
import { relationReplies } from './replies-relations.js'
import { removedReplies } from './replies-removed.js'
import { signerReplies } from './replies-signers.js'
import { webhookReplies } from './replies-webhooks.js'

/** By method and path; only the path where it is a GET. */
const replies: Readonly<Record<string, TSchema>> = {
  ...readingReplies,
  ...signerReplies,
  ...publishingReplies,
  ...relationReplies,
  ...inboxReplies,
  ...membershipReplies,
  ...webhookReplies,
  ...miniAppReplies,
  ...accountReplies,
  ...assetReplies,
  ...onchainReplies,
  ...removedReplies,
}

const named = operations.map((operation) => {
  const { method, path } = operation
  return [method === 'GET' ? path : `${method} ${path}`, operation] as const
})

it.each(named)('answers %s in the shape that the published client knows', (name, { reply }) => {
  expect(reply).toBe(replies[name])
})
