// The compiler copies only TypeScript. This copies the other files that the server reads: migrations, assets
// of pages, names of states and words of the demo network.
import { cpSync, rmSync } from 'node:fs'

// A renamed migration must not remain under its old name.
rmSync('dist/platform/db/migrations', { recursive: true, force: true })
cpSync('src/platform/db/migrations', 'dist/platform/db/migrations', { recursive: true })

cpSync('src/demo/data', 'dist/demo/data', { recursive: true })
for (const pages of ['signers/pages', 'payments', 'nfts']) {
  cpSync(`src/features/${pages}/assets`, `dist/features/${pages}/assets`, { recursive: true })
}
cpSync('src/platform/geo/us-states.json', 'dist/platform/geo/us-states.json')
