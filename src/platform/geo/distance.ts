/** Mean radius of the earth in kilometers. */
export const EARTH_RADIUS_KM = 6_371.0088

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Returns the great-circle distance in kilometers by the haversine formula. Coordinates are in degrees. */
export function distanceKm(
  latitudeA: number,
  longitudeA: number,
  latitudeB: number,
  longitudeB: number,
): number {
  const a =
    Math.sin(radians(latitudeB - latitudeA) / 2) ** 2 +
    Math.cos(radians(latitudeA)) *
      Math.cos(radians(latitudeB)) *
      Math.sin(radians(longitudeB - longitudeA) / 2) ** 2
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(a)))
}
