import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import {
  AuthorizationUrlResponse,
  DeveloperManagedAuthAddress,
  DeveloperManagedSigner,
  NonceResponse,
  Signer,
  SignerListResponse,
} from '../../src/features/signers/schema/signer.js'
import { published } from './conformance.js'

/** Signers, and who signs in. */
export const signerReplies: Readonly<Record<string, TSchema>> = {
  signer: published<Client.Signer>()(Signer),
  'POST signer': published<Client.Signer>()(Signer),
  'POST signer/signed_key': published<Client.Signer>()(Signer),
  'signer/list': published<Client.SignerListResponse>()(SignerListResponse),
  'signer/developer_managed': published<Client.DeveloperManagedSigner>()(DeveloperManagedSigner),
  'POST signer/developer_managed/signed_key':
    published<Client.DeveloperManagedSigner>()(DeveloperManagedSigner),
  'auth_address/developer_managed':
    published<Client.LookupDeveloperManagedAuthAddress200Response>()(DeveloperManagedAuthAddress),
  'POST auth_address/developer_managed/signed_key':
    published<Client.LookupDeveloperManagedAuthAddress200Response>()(DeveloperManagedAuthAddress),
  'login/nonce': published<Client.NonceResponse>()(NonceResponse),
  'login/authorize': published<Client.AuthorizationUrlResponse>()(AuthorizationUrlResponse),
}
