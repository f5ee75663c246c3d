import { type Config, readConfig } from '../config/config.js'

/** The configuration of an environment. Throws on one that the server refuses. */
export function configOf(env: Readonly<Record<string, string>>): Config {
  const result = readConfig(env)
  if ('problems' in result) throw new Error(result.problems)
  return result.config
}
