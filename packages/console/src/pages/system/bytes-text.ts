const KILO = 1024
const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** A size in words: `1.5 MB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(KILO)))
  return `${(bytes / KILO ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}
