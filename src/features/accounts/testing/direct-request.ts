import { ED25519_KEY } from '../../../hub/registry/chain-events.js'
import type { EthAccount } from '../../../hub/registry/eth-account.js'
import { keyRequestMetadata, signKeyRequest } from '../../../hub/registry/key-request.js'
import { hexOf } from '../../../protocol/bytes.js'
import type { MessageSigner } from '../../../protocol/sign.js'
import { addKeyConsent, registerConsent, signConsent } from '../ledger/consents.js'

/** Who asks for the keys of an account, and until when all that is signed is good, in Unix seconds. */
export interface DirectRequestParts {
  readonly app: { readonly fid: number; readonly account: EthAccount }
  readonly keys: readonly MessageSigner[]
  readonly deadline: number
}

const NOBODY = Buffer.alloc(20)

/** What a developer sends who registers an account for somebody and holds its keys. */
export async function directRequest(user: EthAccount, { app, keys, deadline }: DirectRequestParts) {
  const consent = registerConsent({ to: user.address, recovery: NOBODY, nonce: 0n, deadline })
  return {
    registration: {
      custody_address: user.signer.address as string,
      recovery_address: hexOf(NOBODY) as string,
      deadline,
      signature: hexOf(await signConsent(consent, user)),
    },
    signers: await Promise.all(
      keys.map(async ({ publicKey: key }, index) => {
        const request = await signKeyRequest({ requestFid: app.fid, key, deadline }, app.account)
        const metadata = keyRequestMetadata(request)
        const added = { keyType: ED25519_KEY, key, metadata }
        const add = addKeyConsent({ owner: user.address, added, nonce: BigInt(index), deadline })
        const signature = hexOf(await signConsent(add, user))
        return { public_key: hexOf(key), metadata: hexOf(metadata), deadline, signature }
      }),
    ),
  }
}
