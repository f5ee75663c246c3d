import type { Operation } from '../../operation.js'
import { authAddressLookup, authAddressSignedKey } from './auth-addresses.js'
import { developerManagedSignedKey, developerManagedSigner } from './developer-managed-signers.js'
import { loginAuthorize, loginNonce } from './login.js'
import { createSignerOperation, signerList, signerLookup, signerSignedKey } from './signers.js'

/** Operations on signers, auth addresses and sign-in. */
export const signerOperations: readonly Operation[] = [
  createSignerOperation,
  signerLookup,
  signerSignedKey,
  signerList,
  developerManagedSigner,
  developerManagedSignedKey,
  authAddressLookup,
  authAddressSignedKey,
  loginNonce,
  loginAuthorize,
]
