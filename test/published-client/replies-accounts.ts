import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import {
  RegisterUserOnChainResponse,
  RegisterUserResponse,
  UserFIDResponse,
} from '../../src/features/accounts/schema/account.js'
import { StorageAllocationsResponse } from '../../src/features/storage/schema/storage.js'
import { published } from './conformance.js'

/** Accounts that wallets pay for. */
export const accountReplies: Readonly<Record<string, TSchema>> = {
  'user/fid': published<Client.UserFIDResponse>()(UserFIDResponse),
  'POST user': published<Client.RegisterUserResponse>()(RegisterUserResponse),
  'POST user/register': published<Client.RegisterUserOnChainResponse>()(RegisterUserOnChainResponse),
  'POST storage/buy': published<Client.StorageAllocationsResponse>()(StorageAllocationsResponse),
}
