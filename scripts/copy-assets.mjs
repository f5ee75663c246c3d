// The compiler copies only TypeScript; migrations, and what pages are made of, are files that the built server reads.
import { cpSync, rmSync } from 'node:fs'

// A migration that was renamed must not stay behind under its old name.
rmSync('dist/platform/db/migrations', { recursive: true, force: true })
cpSync('src/platform/db/migrations', 'dist/platform/db/migrations', { recursive: true })

cpSync('src/demo/data', 'dist/demo/data', { recursive: true })
cpSync('src/features/signers/pages/assets', 'dist/features/signers/pages/assets', { recursive: true })
