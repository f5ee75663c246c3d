/** The cities of GeoNames with more than 1,000 inhabitants, in the format of `src/platform/geo/cities.tsv`. */
export function citiesTable(): string
