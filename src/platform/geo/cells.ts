/** Divides the globe into cells of one degree by one degree, numbered by rows from the south-west corner. */

const COLUMNS = 360
/** A degree of latitude. */
export const KM_PER_DEGREE = 111.2

/** Returns the cell of coordinates. 180° east equals 180° west. */
export function cellOf(latitude: number, longitude: number): number {
  return rowOf(latitude) * COLUMNS + wrapped(Math.floor(longitude))
}

/** Returns every cell that may contain a point within this distance. */
export function cellsWithin(latitude: number, longitude: number, radiusKm: number): number[] {
  const reach = radiusKm / KM_PER_DEGREE
  const [south, north] = [rowOf(latitude - reach), rowOf(latitude + reach)]
  const cells: number[] = []
  for (let row = south; row <= north; row += 1) {
    for (const column of columnsWithin(row, longitude, reach)) cells.push(row * COLUMNS + column)
  }
  return cells
}

/** A degree of longitude shrinks towards the poles; at a pole every column is near. */
function columnsWithin(row: number, longitude: number, reach: number): number[] {
  const furthest = Math.min(90, Math.max(Math.abs(row - 90), Math.abs(row - 89)))
  const narrow = Math.cos((furthest * Math.PI) / 180)
  const columns = narrow < 0.001 ? COLUMNS : reach / narrow
  if (columns >= COLUMNS / 2 - 1) return Array.from({ length: COLUMNS }, (_, column) => column)
  const [west, east] = [Math.floor(longitude - columns), Math.floor(longitude + columns)]
  return Array.from({ length: east - west + 1 }, (_, index) => wrapped(west + index))
}

/** The row of a latitude, counted from the south pole. */
function rowOf(latitude: number): number {
  return Math.min(179, Math.max(0, Math.floor(latitude) + 90))
}

function wrapped(longitude: number): number {
  return (((longitude + 180) % COLUMNS) + COLUMNS) % COLUMNS
}
