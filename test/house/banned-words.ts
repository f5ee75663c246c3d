/**
 * Words of the former private language of the code base. Each has a term that an engineer would search for;
 * CONTRIBUTING.md has the rules. `in` limits a word to names of the code or to documents, where its other
 * senses are common.
 */
const bannedWords: readonly {
  /** Words of a name (`onlooker` in `readOnlookers`) or a phrase of a text, in lowercase. */
  readonly word: string
  readonly use: string
  readonly in?: 'names' | 'documents'
}[] = [
  { word: 'onlooker', use: 'viewer' },
  { word: 'at hand', use: 'preloaded' },
  { word: 'load together', use: 'data loader', in: 'names' },
  { word: 'shared reads', use: 'single-flight cache', in: 'names' },
  { word: 'own blocks', use: 'local commits', in: 'names' },
  { word: 'given casts', use: 'snapshot renderer', in: 'names' },
  { word: 'shown to', use: 'visibility filter', in: 'names' },
  { word: 'spoken usernames', use: 'mentions', in: 'names' },
  { word: 'spelled address', use: 'checksummed', in: 'names' },
  { word: 'small letters', use: 'lowercase' },
  { word: 'shown path', use: 'redacted path', in: 'names' },
  { word: 'drained', use: 'wait for drain', in: 'names' },
  { word: 'kept ready', use: 'cached' },
  { word: 'keeps ready', use: 'caches' },
  { word: 'standing', use: 'stored, membership or popularity' },
  { word: 'compete', use: 'resolve conflict' },
  { word: 'contender', use: 'candidate' },
  { word: 'is lack', use: 'is missing dependency', in: 'names' },
  { word: 'merge priority', use: 'merge order', in: 'names' },
  { word: 'log place', use: 'source offset' },
  { word: 'place', use: 'position, feed entry, location or rank', in: 'names' },
  { word: 'places', use: 'positions, feed entries, locations or ranks', in: 'names' },
  { word: 'admitted', use: 'historical' },
  { word: 'withdraw', use: 'remove', in: 'names' },
  { word: 'withdrawal', use: 'upstream removal', in: 'names' },
  { word: 'intake', use: 'reorder buffer' },
  { word: 'door', use: 'gate or submit adapter' },
  { word: 'not now', use: 'retry later', in: 'names' },
  { word: 'tell', use: 'notify, settle or report', in: 'names' },
  { word: 'teller', use: 'publisher', in: 'names' },
  { word: 'told', use: 'emitted or published', in: 'names' },
  { word: 'untold', use: 'unpublished' },
  { word: 'told of', use: 'notified of', in: 'documents' },
  { word: 'the telling', use: 'the delivery', in: 'documents' },
  { word: 'suspect', use: 'queued for reconciliation' },
  { word: 'suspects', use: 'reconcile queue' },
  { word: 'block ledger', use: 'gap tracker' },
  { word: 'scales', use: 'byte budget', in: 'names' },
  { word: 'for ever', use: 'loop', in: 'names' },
  { word: 'occurrence', use: 'event' },
  { word: 'bury', use: 'reap expired' },
  { word: 'noticed at', use: 'detected at' },
  { word: 'unready', use: 'fail preparation', in: 'names' },
  { word: 'shelf', use: 'fid pool' },
  { word: 'shelve', use: 'add to the pool' },
  { word: 'hasten', use: 'expedite' },
  { word: 'one by one', use: 'serial executor', in: 'names' },
  { word: 'settler', use: 'transaction monitor' },
  { word: 'consents', use: 'signed authorizations', in: 'names' },
  { word: 'go pro', use: 'purchase pro' },
  { word: 'rpcs differ', use: 'RPC mismatch', in: 'names' },
  { word: 'with past', use: 'backfilled', in: 'names' },
  { word: 'pasts', use: 'backfill' },
  { word: 'company', use: 'neighborhood penalty', in: 'names' },
  { word: 'touched', use: 'affected' },
  { word: 'wanted', use: 'sources or requested' },
  { word: 'outranked', use: 'suppressed' },
  { word: 'asked', use: 'request', in: 'names' },
  { word: 'member fault', use: 'validation error' },
  { word: 'reseal', use: 're-encrypt' },
  { word: 'mend', use: 'repair' },
  { word: 'mended', use: 'repaired' },
  { word: 'mends', use: 'repairs' },
  { word: 'chore', use: 'scheduled job' },
  { word: 'chores', use: 'scheduled jobs' },
  { word: 'advice', use: 'error hint', in: 'names' },
  { word: 'paces', use: 'rate windows' },
  { word: 'whoever', use: 'the user who, or a name of the role' },
  { word: 'nobody in particular', use: 'no viewer' },
  { word: 'what there is', use: 'the thing itself' },
  { word: 'who there is', use: 'users' },
]

/** The banned words of a text, in lowercase with spaces between words. */
export function bannedWordsIn(text: string, source: 'names' | 'documents'): typeof bannedWords {
  return bannedWords.filter(
    (banned) =>
      (banned.in === undefined || banned.in === source) &&
      new RegExp(`(?<![\\p{L}\\p{N}])${banned.word.replaceAll(' ', '\\s+')}(?![\\p{L}\\p{N}])`, 'u').test(
        text,
      ),
  )
}
