import { PlazaError, type Refusal } from '../../platform/errors.js'

/**
 * The value, unless it is a refusal.
 *
 * @param property The member of the request that is at fault then.
 * @throws PlazaError that says what the refusal says.
 */
export function valueOrThrow<Value extends object>(value: Value | Refusal, property?: string): Value {
  if ('code' in value && 'message' in value) throw new PlazaError(value.code, value.message, { property })
  return value as Value
}
