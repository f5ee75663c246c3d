import { FarcasterNetwork } from '@farcaster/core'
import { LocalRegistry } from '../../../hub/registry/registry.js'
import { PlazaError, refuse } from '../../../platform/errors.js'
import type { OperationContext } from '../../operation.js'
import { type ProfileRequest, publishProfile } from '../../publishing/profile.js'
import { keyOpener } from '../../signers/acting-signer.js'
import { findSigner } from '../../signers/find-signer.js'
import type { AccountDetails } from '../registration/registrar.js'

/** Names and profiles of accounts that are registered, by the rooms that know of them. */
export function accountDetails(
  context: Pick<OperationContext, 'writerDb' | 'hub' | 'vault' | 'network' | 'clock'>,
): AccountDetails {
  const { writerDb: db, hub, vault, network, clock } = context
  const registry = new LocalRegistry({ db, hub, clock })
  const openKey = keyOpener(vault)

  return {
    async giveName(fid, name) {
      const standing = await db`select from hub.username_proofs where name = ${name} and fid = ${fid}::bigint`
      if (standing.length > 0) return null
      if (network !== FarcasterNetwork.DEVNET) return refuse('not_configured', noNames)
      return await registry.registerName(name, fid)
    },

    async publishProfile(fid, signerId, profile) {
      const signer = await findSigner(db, signerId)
      if (signer === null) throw new Error(`the signer ${signerId} of a registration is not there`)
      const author = { fid, key: openKey(signer.id, signer.sealedKey) }
      try {
        const faults = await publishProfile(context, author, profile as ProfileRequest)
        return faults.map(({ property, message }) => `${property}: ${message}`)
      } catch (error) {
        if (!(error instanceof PlazaError) || error.code === 'unavailable') throw error
        return [error.message]
      }
    },
  }
}

/** Why a name cannot be given. */
export const noNames = 'names are given by the registry of names, for which this server has no authority'
