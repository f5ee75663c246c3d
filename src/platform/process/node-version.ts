/**
 * Says what is wrong with the version of Node.js; null if it is new enough. Without it, a server on an older one ends with a
 * missing function of some library.
 *
 * @param required `engines.node` of `package.json`, such as `>=20.19`.
 */
export function nodeVersionProblem(running: string, required: string): string | null {
  const [major, minor] = numbersOf(running)
  const [neededMajor, neededMinor] = numbersOf(required)
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return null
  return `Plaza needs Node.js ${neededMajor}.${neededMinor} or later, and this is ${running}: install a newer one`
}

function numbersOf(version: string): [number, number] {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? []
  return [Number(major), Number(minor)]
}
