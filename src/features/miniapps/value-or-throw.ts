import { PlazaError, type Refusal } from '../../platform/errors.js'

/**
 * Returns the value, or throws a refusal as an error.
 *
 * @param property The invalid request member.
 * @throws PlazaError With the refusal's code and message.
 */
export function valueOrThrow<Value extends object>(value: Value | Refusal, property?: string): Value {
  if ('code' in value && 'message' in value) throw new PlazaError(value.code, value.message, { property })
  return value as Value
}
