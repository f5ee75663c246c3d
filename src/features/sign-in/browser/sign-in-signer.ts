import { signKeyRequest } from '../../../hub/registry/key-request.js'
import { custodyOf } from '../../../hub/registry/registry.js'
import type { Queryable } from '../../../platform/db/connection.js'
import { DAY_SECONDS } from '../../../platform/durations.js'
import { PlazaError } from '../../../platform/errors.js'
import { KEY_TYPE_ED25519 } from '../../../protocol/key-rules.js'
import { openCustodyKey } from '../../apps/custody-key.js'
import type { OperationContext } from '../../operation.js'
import { isPermitted } from '../../signers/acting-signer.js'
import { requestSignerApproval } from '../../signers/key-approval-request.js'
import { closedReason, readKeyRequest } from '../../signers/key-request.js'
import { createSigner, type SignerRecord, signerColumns, signerRecords } from '../../signers/signer-record.js'
import type { SignInApp } from './sign-in-app.js'

/** Dependencies of `signerOfSignIn`. */
export type SignerContext = Pick<OperationContext, 'writerDb' | 'vault' | 'network' | 'clock'>

/** How long the user may take to approve. */
const APPROVAL_SECONDS = DAY_SECONDS
/** An open request is used again until this long before its deadline. */
const MIN_APPROVAL_SECONDS = 60 * 60

/**
 * Returns the app's signer of a user: the approved one, else one that the user can approve now.
 *
 * A user who returns gets the same signer. One who leaves before the approval gets the same request again, so
 * sign-ins that nobody completes make one key per user.
 *
 * @throws PlazaError `not_configured` when a request is needed and the server does not hold the app's custody
 * key.
 */
export async function signerOfSignIn(
  context: SignerContext,
  app: SignInApp,
  fid: number,
): Promise<SignerRecord> {
  const { writerDb: db } = context
  const approved = await approvedSigners(db, app.id, fid)
  const suitable =
    app.permission === 'read_only'
      ? approved[0]
      : approved.find(({ permissions }) => isPermitted(permissions, 'any write'))
  return suitable ?? (await requestedSigner(context, app, fid))
}

/** The app's approved signers of a user whose keys this server holds, oldest first. */
async function approvedSigners(db: Queryable, appId: string, fid: number): Promise<SignerRecord[]> {
  return await db<SignerRecord[]>`
    select ${signerColumns(db)}
    from ${signerRecords(db)} s
    where app_id = ${appId} and sealed_key is not null and status = 'approved' and fid = ${fid}
      and key_type = ${KEY_TYPE_ED25519}
      and public_key in (
        select key from hub.signers where fid = ${fid} and key_type = ${KEY_TYPE_ED25519} and active
      )
    order by created_at, id`
}

async function requestedSigner(context: SignerContext, app: SignInApp, fid: number): Promise<SignerRecord> {
  const { writerDb: db, vault, network, clock } = context
  const [started] = await db<SignerRecord[]>`
    select ${signerColumns(db)}
    from ${signerRecords(db)} s
    where app_id = ${app.id} and sign_in_fid = ${fid} and status in ('generated', 'pending_approval')
    order by created_at desc
    limit 1`
  if (started?.status === 'pending_approval') {
    const request = await readKeyRequest(db, { signerUuid: started.id })
    const closed = closedReason(request, clock() + MIN_APPROVAL_SECONDS * 1000)
    if (closed === null && request.app.fid === app.fid) return started
  }
  const account = await openAppAccount(context, app)
  const { id, publicKey } = started ?? (await createSigner({ db, vault }, app.id, fid))
  const deadline = Math.floor(clock() / 1000) + APPROVAL_SECONDS
  const { signature } = await signKeyRequest({ requestFid: account.fid, key: publicKey, deadline }, account)
  return await requestSignerApproval(
    { db, network, clock },
    { appId: app.id, signerUuid: id },
    { appFid: account.fid, deadline, signature, redirectUrl: null, sponsor: null },
  )
}

/** The app's account with its custody key. */
async function openAppAccount({ writerDb: db, vault }: SignerContext, { id, fid }: SignInApp) {
  const account = fid === null ? null : await openCustodyKey({ db, vault }, id)
  const custody = fid === null ? null : await custodyOf(db, fid)
  if (fid === null || account === null || !custody?.equals(account.address)) {
    throw new PlazaError(
      'not_configured',
      'this app cannot request signers yet: its operator has to store its fid and the custody key of it',
    )
  }
  return { ...account, fid }
}
