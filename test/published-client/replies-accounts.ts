import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import { RegisterUserResponse, UserFIDResponse } from '../../src/views/schema/account.js'
import { StorageAllocationsResponse } from '../../src/views/schema/storage.js'
import { published } from './conformance.js'

/** Accounts that wallets pay for. */
export const accountReplies: Readonly<Record<string, TSchema>> = {
  'user/fid': published<Client.UserFIDResponse>()(UserFIDResponse),
  'POST user': published<Client.RegisterUserResponse>()(RegisterUserResponse),
  'POST storage/buy': published<Client.StorageAllocationsResponse>()(StorageAllocationsResponse),
}
