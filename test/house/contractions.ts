/** Statements that an older version may not survive, each with the name that it is reported by. */
const contractions: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  ...['table', 'column', 'function', 'view', 'schema', 'type', 'materialized view'].map((what) => ({
    name: `drop ${what}`,
    pattern: new RegExp(`\\bdrop ${what}\\b`, 'g'),
  })),
  { name: 'rename', pattern: /\brename\b/g },
  { name: 'set not null', pattern: /\bset not null\b/g },
  { name: 'alter type', pattern: /\balter (?:column )?\w+ (?:set data )?type\b(?! numeric(?! *\())/g },
  { name: 'add constraint', pattern: /\badd (?:constraint|check|unique|foreign key)\b/g },
  {
    name: 'not null without a default',
    pattern: /\badd (?:column )?(?:if not exists )?\w+ [^,;]*?\bnot null\b(?![^,;]*\bdefault\b)/g,
  },
]

/** Returns what a migration takes away from older versions: comments, texts and bodies of functions do not count. */
export function contractionsIn(sql: string): string[] {
  const plain = sql
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/--.*$/gm, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
  return contractions.flatMap(({ name, pattern }) => (plain.match(pattern) ?? []).map(() => name))
}
