import { Select, TextInput } from '@mantine/core'
import { boundsOf, choicesOf, type OperationParameter } from './operations'

/** The field of a parameter, with its description, bounds and example. */
export function ParameterField({
  parameter: { name, description, required, schema, example },
  value,
  onChange,
}: {
  parameter: OperationParameter
  value: string
  onChange: (value: string) => void
}) {
  const choices = schema.type === 'boolean' ? ['true', 'false'] : choicesOf(schema)
  const help = [description, boundsOf(schema)].filter(Boolean).join(' · ')
  if (choices !== null)
    return (
      <Select
        label={name}
        description={help}
        data={choices}
        value={value || null}
        onChange={(chosen) => onChange(chosen ?? '')}
        required={required}
        clearable={!required}
        clearButtonProps={{ 'aria-label': `Clear ${name}` }}
        placeholder={schema.default === undefined ? undefined : String(schema.default)}
      />
    )
  return (
    <TextInput
      label={name}
      description={help}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      required={required}
      placeholder={example === undefined ? undefined : textOf(example)}
      inputMode={schema.type === 'integer' ? 'numeric' : undefined}
    />
  )
}

/** An example as it is typed in. */
export function textOf(example: unknown): string {
  return Array.isArray(example) ? example.join(',') : typeof example === 'object' ? '' : String(example)
}
