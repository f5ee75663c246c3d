// The compiler copies only TypeScript; migrations, and what pages are made of, are files that the built server reads.
import { cpSync, rmSync } from 'node:fs'

// A migration that was renamed must not stay behind under its old name.
rmSync('dist/db/migrations', { recursive: true, force: true })
cpSync('src/db/migrations', 'dist/db/migrations', { recursive: true })

cpSync('src/api/pages/assets', 'dist/api/pages/assets', { recursive: true })
