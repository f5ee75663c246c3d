// Writes the table of cities that locations of users are named by: npm run cities
import { writeFileSync } from 'node:fs'
import { citiesTable } from './cities-table.mjs'

writeFileSync(new URL('../src/platform/geo/cities.tsv', import.meta.url), citiesTable())
