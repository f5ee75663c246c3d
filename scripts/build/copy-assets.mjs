import { cpSync, rmSync } from 'node:fs'

/** Copies the files that the server reads and that are no TypeScript: migrations, assets of pages, words of the demo. */
export function copyAssets() {
  // A renamed migration must not remain under its old name.
  rmSync('dist/platform/db/migrations', { recursive: true, force: true })
  cpSync('src/platform/db/migrations', 'dist/platform/db/migrations', { recursive: true })

  cpSync('src/demo/data', 'dist/demo/data', { recursive: true })
  for (const pages of ['signers/pages', 'payments', 'nfts']) {
    cpSync(`src/features/${pages}/assets`, `dist/features/${pages}/assets`, { recursive: true })
  }
  for (const table of ['us-states.json', 'cities.tsv'])
    cpSync(`src/platform/geo/${table}`, `dist/platform/geo/${table}`)
}
