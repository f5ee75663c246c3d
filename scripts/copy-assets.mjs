// The compiler copies only TypeScript; migrations are plain SQL files that the built server reads.
import { cpSync, rmSync } from 'node:fs'

// A migration that was renamed must not stay behind under its old name.
rmSync('dist/db/migrations', { recursive: true, force: true })
cpSync('src/db/migrations', 'dist/db/migrations', { recursive: true })
