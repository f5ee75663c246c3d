/** Divides the globe into cells of one degree by one degree, numbered by rows from the south-west corner. */

const COLUMNS = 360
/** A degree of latitude, rounded down. */
export const KM_PER_DEGREE = 111.19
/** Degrees by which a circle counts as larger: rounding must not decide. */
const MARGIN = 1e-4
const RADIANS = Math.PI / 180

/** Returns the cell of coordinates. 180° east equals 180° west. */
export function cellOf(latitude: number, longitude: number): number {
  return rowOf(latitude) * COLUMNS + wrapped(Math.floor(longitude))
}

/** Returns every cell that may contain a point within this distance, each once. */
export function cellsWithin(latitude: number, longitude: number, radiusKm: number): number[] {
  const reach = radiusKm / KM_PER_DEGREE + MARGIN
  const columns = columnsWithin(latitude, longitude, reach)
  const [south, north] = [rowOf(latitude - reach), rowOf(latitude + reach)]
  const cells: number[] = []
  for (let row = south; row <= north; row += 1) {
    for (const column of columns) cells.push(row * COLUMNS + column)
  }
  return cells
}

/** A circle around a pole reaches every column; another one is at most asin(sin reach / cos latitude) wide on each side. */
function columnsWithin(latitude: number, longitude: number, reach: number): number[] {
  if (Math.abs(latitude) + reach >= 90) return Array.from({ length: COLUMNS }, (_, column) => column)
  const half = Math.asin(Math.sin(reach * RADIANS) / Math.cos(latitude * RADIANS)) / RADIANS
  const [west, east] = [Math.floor(longitude - half), Math.floor(longitude + half)]
  return Array.from({ length: east - west + 1 }, (_, index) => wrapped(west + index))
}

/** The row of a latitude, counted from the south pole. */
function rowOf(latitude: number): number {
  return Math.min(179, Math.max(0, Math.floor(latitude) + 90))
}

function wrapped(longitude: number): number {
  return (((longitude + 180) % COLUMNS) + COLUMNS) % COLUMNS
}
