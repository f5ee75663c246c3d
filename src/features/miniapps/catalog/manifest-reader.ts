import type { Database } from '../../../platform/db/connection.js'
import { isRefusal } from '../../../platform/errors.js'
import type { NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure, isTransient } from '../../../platform/outbound/net-failure.js'
import type { TargetPolicy } from '../../../platform/outbound/target.js'
import { parseJsonSignature, readObject } from '../../../protocol/json-signature.js'
import { verifyEventSigner } from '../events/event-receiver.js'
import { parseSite } from '../hosts/host-tokens.js'
import { parseManifest, type VerifiedManifest } from './manifest.js'
import { MAX_MANIFEST_BYTES, manifestRequest } from './manifest-file.js'
import {
  addKnownDomains,
  type DueManifest,
  readDueManifests,
  storeManifest,
  storeManifestFailure,
} from './manifests.js'

/** Dependencies of the reader. */
export interface ManifestReaderContext {
  readonly db: Database
  /** Used for URLs of the policy. */
  readonly net: Pick<NetClient, 'request'>
  readonly targetPolicy: TargetPolicy
}

/** Why there is no manifest, and whether a retry may soon find one. */
interface ManifestFailure {
  readonly failure: string
  readonly isTransient: boolean
}

/** Domains of one run. They are read at once, so that a run lasts as long as one deadline. */
const DOMAINS_PER_RUN = 16

/** Reads the manifests that are due: of domains that were found since the last run, and of known ones once a day. */
export async function refreshManifests(context: ManifestReaderContext): Promise<void> {
  await addKnownDomains(context.db)
  const due = await readDueManifests(context.db, DOMAINS_PER_RUN)
  await Promise.all(due.map((manifest) => refreshManifest(context, manifest)))
}

async function refreshManifest(context: ManifestReaderContext, due: DueManifest): Promise<void> {
  const result = await readManifest(context, due.domain)
  if ('failure' in result) await storeManifestFailure(context.db, due, result)
  else await storeManifest(context.db, due.domain, result)
}

/**
 * Fetches the manifest of a domain and verifies its account association: it names the domain itself, also when the file
 * is hosted elsewhere, and the custody or an auth address of its fid signed it.
 */
async function readManifest(
  { db, net, targetPolicy }: ManifestReaderContext,
  domain: string,
): Promise<VerifiedManifest | ManifestFailure> {
  const site = parseSite(domain, targetPolicy)
  if (isRefusal(site)) return permanent(site.message)
  const answer = await net.request(manifestRequest(site))
  if (isNetFailure(answer)) {
    return { failure: `${answer.kind}: ${answer.detail}`, isTransient: isTransient(answer) }
  }
  const { status } = answer
  if (status !== 200) {
    return { failure: `status ${status}`, isTransient: status === 429 || status >= 500 }
  }
  const file = answer.isTruncated ? null : readObject(Buffer.from(answer.bytes))
  if (file === null) return permanent(`not a JSON object of up to ${MAX_MANIFEST_BYTES} bytes`)
  const manifest = parseManifest(file, targetPolicy)
  if (isRefusal(manifest)) return permanent(manifest.message)
  const decoded = parseJsonSignature(manifest.accountAssociation)
  if (isRefusal(decoded)) return permanent(decoded.message)
  if (decoded.type === 'app_key') return permanent('accountAssociation is signed by an app key')
  if (readObject(decoded.payload)?.domain !== domain)
    return permanent('accountAssociation is of another domain')
  const signer = await verifyEventSigner(db, decoded)
  if (isRefusal(signer)) return permanent(signer.message)
  return { ...manifest, authorFid: signer.fid }
}

function permanent(failure: string): ManifestFailure {
  return { failure, isTransient: false }
}
