import { CopyButton } from '../../parts/copy-button'
import { curlOf, type Filled, fetchOf, sdkOf } from './request'

/** Copies a request as code. The key is a placeholder: the console has none. */
export function CopyRequest({ filled }: { filled: Filled }) {
  const { origin } = window.location
  const codes = [
    { name: 'curl', code: curlOf(filled, origin) },
    { name: 'fetch', code: fetchOf(filled, origin) },
    { name: 'SDK', code: sdkOf(filled, origin) },
  ]
  return codes.map(({ name, code }) => (
    <CopyButton
      key={name}
      text={code ?? ''}
      disabled={code === null}
      title={code === null ? 'The published client cannot send this' : undefined}
      copied={`Copied ${name}`}
    >
      {`Copy as ${name}`}
    </CopyButton>
  ))
}
