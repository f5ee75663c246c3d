// The compiler copies only TypeScript; migrations are plain SQL files that the built server reads.
import { cpSync } from 'node:fs'

cpSync('src/db/migrations', 'dist/db/migrations', { recursive: true })
