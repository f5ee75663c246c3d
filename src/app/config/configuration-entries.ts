import type { TSchema } from '@sinclair/typebox'
import type { ConfigurationEntry } from '../../features/system/schema/system.js'
import { redactedUrls } from '../../platform/text/redacted-urls.js'

/** A variable, its task and its value as it is used. */
export interface ReadVariable {
  readonly name: string
  readonly task: string
  readonly schema: TSchema
  readonly value: unknown
  /** Whether the environment has it. */
  readonly isGiven: boolean
}

/** Shows a variable to the operator. The value of a secret never leaves the process. */
export function configurationEntry({ name, task, schema, value, isGiven }: ReadVariable): ConfigurationEntry {
  const isSecret = schema.secret === true
  const isSet = value !== undefined
  return {
    object: 'configuration_entry',
    name,
    task,
    description: schema.description ?? '',
    source: isGiven ? 'environment' : isSet ? 'default' : 'not set',
    is_secret: isSecret,
    // URLs may have passwords, and keys in their paths and queries.
    value: isSecret || !isSet ? null : redactedUrls(String(value)),
    default: schema.defaultText ?? (schema.default === undefined || isSecret ? null : String(schema.default)),
  }
}
