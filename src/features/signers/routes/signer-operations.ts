import type { Operation } from '../../operation.js'
import { authAddressLookup } from './auth-address.js'
import { authAddressSignedKey } from './auth-address-signed-key.js'
import { createSignerOperation } from './create.js'
import { developerManagedSigner } from './developer-managed.js'
import { developerManagedSignedKey } from './developer-managed-signed-key.js'
import { signerList } from './list.js'
import { loginAuthorize } from './login-authorize.js'
import { loginNonce } from './login-nonce.js'
import { signerSignedKey } from './signed-key.js'
import { signerLookup } from './signer.js'

/** Signers, and who signs in. */
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
