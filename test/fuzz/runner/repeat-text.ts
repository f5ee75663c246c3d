import type { FuzzRequest } from '../generator/requests.js'

/** Longer bodies are cut: `--only` sends them again. */
const MAX_SHOWN_BYTES = 2_000

/** The request as a command for a shell, or as its bytes. */
export function repeatText(
  request: FuzzRequest,
  urls: { readonly http: string; readonly grpc: string },
): string {
  if (request.via === 'http') {
    const headers = Object.entries(request.headers)
      .flatMap(([name, value]) =>
        (typeof value === 'string' ? [value] : value).map((each) => `${name}: ${each}`),
      )
      .map((line) => ` -H ${quoted(line)}`)
    const { body } = request
    const data = body === null ? '' : ` --data-binary ${shellBytes(body)}`
    return `curl -sS --path-as-is -X ${request.method}${headers.join('')}${data} ${quoted(`${urls.http}${request.path}`)}`
  }
  if (request.via === 'raw') {
    const port = new URL(request.port === 'http' ? urls.http : urls.grpc).port
    return `printf ${shellBytes(Buffer.concat(request.pieces), false)} | nc 127.0.0.1 ${port}`
  }
  const headers = Object.entries(request.headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`)
  return `curl -sS --http2-prior-knowledge${headers.join('')} --data-binary ${shellBytes(request.body)} ${urls.grpc}${request.path} | xxd`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Bytes for a shell: as text where they are one, otherwise in hex. */
function shellBytes(bytes: Buffer, isArgument = true): string {
  const shown = bytes.subarray(0, MAX_SHOWN_BYTES)
  const rest = bytes.length > shown.length ? ` # and ${bytes.length - shown.length} bytes` : ''
  if (/^[\x20-\x7e]*$/.test(shown.toString('latin1')) && isArgument)
    return `${quoted(shown.toString('latin1'))}${rest}`
  const hex = [...shown].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  return isArgument ? `@<(printf '${hex}')${rest}` : `'${hex}'${rest}`
}
