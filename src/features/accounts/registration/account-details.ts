import { LocalRegistry } from '../../../hub/registry/registry.js'
import { PlazaError, refuse } from '../../../platform/errors.js'
import { FarcasterNetwork } from '../../../protocol/definitions.js'
import type { OperationContext } from '../../operation.js'
import { type ProfileRequest, publishProfile } from '../../publishing/profile.js'
import { createKeyOpener } from '../../signers/acting-signer.js'
import { findSigner } from '../../signers/signer-record.js'
import type { AccountServices } from './registrar.js'

/** Creates the services that give a registered account its name and profile. */
export function accountDetails(
  context: Pick<OperationContext, 'writerDb' | 'hub' | 'vault' | 'network' | 'clock'>,
): AccountServices {
  const { writerDb: db, hub, vault, network, clock } = context
  const registry = new LocalRegistry({ db, hub, clock })
  const openKey = createKeyOpener(vault)

  return {
    async assignName(fid, name) {
      const nameProof =
        await db`select from hub.username_proofs where name = ${name} and fid = ${fid}::bigint`
      if (nameProof.length > 0) return null
      if (network !== FarcasterNetwork.DEVNET) return refuse('not_configured', namesUnavailableText)
      return await registry.registerName(name, fid)
    },

    async publishProfile(fid, signerId, profile) {
      const signer = await findSigner(db, signerId)
      if (signer === null) throw new Error(`the signer ${signerId} of a registration is not there`)
      const author = { fid, key: openKey(signer.id, signer.sealedKey) }
      try {
        const problems = await publishProfile(context, author, profile as ProfileRequest)
        return problems.map(({ property, message }) => `${property}: ${message}`)
      } catch (error) {
        if (!(error instanceof PlazaError) || error.code === 'unavailable') throw error
        return [error.message]
      }
    },
  }
}

/** The error text where this server may not assign names. */
export const namesUnavailableText =
  'names are given by the registry of names, for which this server has no authority'
