import type { EthAccount } from '../../../hub/registry/eth-account.js'
import { keyRequestMetadata, signKeyRequest } from '../../../hub/registry/key-request.js'
import { hexOf } from '../../../protocol/bytes.js'
import { KEY_TYPE_ED25519 } from '../../../protocol/key-rules.js'
import type { MessageSigner } from '../../../protocol/sign.js'
import {
  addKeyAuthorization,
  registerAuthorization,
  signAuthorization,
} from '../ledger/signed-authorizations.js'

/** The account that requests keys, and the deadlines in Unix seconds: of all signatures, or another one of its requests. */
export interface DirectRequestOptions {
  readonly app: { readonly fid: number; readonly account: EthAccount }
  readonly keys: readonly MessageSigner[]
  readonly deadline: number
  readonly requestDeadline?: number
}

const ZERO_ADDRESS = Buffer.alloc(20)

/** Builds the request of a developer who registers an account and holds its keys. */
export async function directRequest(
  user: EthAccount,
  { app, keys, deadline, requestDeadline = deadline }: DirectRequestOptions,
) {
  const authorization = registerAuthorization({
    to: user.address,
    recovery: ZERO_ADDRESS,
    nonce: 0n,
    deadline,
  })
  return {
    registration: {
      custody_address: user.signer.address as string,
      recovery_address: hexOf(ZERO_ADDRESS) as string,
      deadline,
      signature: hexOf(await signAuthorization(authorization, user)),
    },
    signers: await Promise.all(
      keys.map(async ({ publicKey: key }, index) => {
        const request = await signKeyRequest(
          { requestFid: app.fid, key, deadline: requestDeadline },
          app.account,
        )
        const metadata = keyRequestMetadata(request)
        const added = { keyType: KEY_TYPE_ED25519, key, metadata }
        const addAuthorization = addKeyAuthorization({
          owner: user.address,
          added,
          nonce: BigInt(index),
          deadline,
        })
        const signature = hexOf(await signAuthorization(addAuthorization, user))
        return { public_key: hexOf(key), metadata: hexOf(metadata), deadline, signature }
      }),
    ),
  }
}
