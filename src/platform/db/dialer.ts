import { readFile } from 'node:fs/promises'
import { isIP, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { DatabaseAddress, DatabaseHost, TlsSettings } from './database-url.js'

/** `SSLRequest` of the wire protocol, and the answer of a server that encrypts. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const ENCRYPTS = 0x53

const SOCKET_FILE = '.s.PGSQL.'

/** Connects to a server, encrypted if the URL says so. */
export async function dial(
  { host, port }: DatabaseHost,
  tls: DatabaseAddress['tls'],
  limitMs: number,
): Promise<Socket> {
  const socket = new Socket()
  const timer = setTimeout(() => socket.destroy(timeoutError(host, port)), limitMs)
  try {
    const connecting = waitFor(socket, 'connect', host)
    if (host.startsWith('/')) socket.connect(`${host}/${SOCKET_FILE}${port}`)
    else socket.connect(port, host)
    await connecting
    const connected = tls === null || host.startsWith('/') ? socket : await encrypt(socket, host, tls)
    // The driver expects these, to name the server in its errors.
    return Object.assign(connected, { host, port })
  } catch (error) {
    socket.destroy()
    throw error instanceof AggregateError ? errorOfAddresses(error) : error
  } finally {
    clearTimeout(timer)
  }
}

async function encrypt(socket: Socket, host: string, tls: TlsSettings): Promise<Socket> {
  const answering = waitFor(socket, 'data', host)
  const reading = Promise.all(
    [tls.rootCertificate, tls.certificate, tls.key].map((file) =>
      file === null ? undefined : readFile(file),
    ),
  )
  // The files come before the request: once it is answered nobody listens until the handshake begins, and an error of the
  // connection would end the process.
  const isRead = reading.then(
    () => {},
    () => {},
  )
  await Promise.race([isRead, answering.then(() => isRead)])
  socket.write(sslRequest)
  const answer = (await answering) as Buffer
  if (answer.length !== 1 || answer[0] !== ENCRYPTS) {
    if (tls.mode === 'prefer') return socket
    throw new Error(`the database server at ${host} does not encrypt connections (sslmode=${tls.mode})`)
  }
  const [ca, cert, key] = await reading
  const encrypted = connectTls({
    socket,
    // An address is no server name, but what the certificate is checked for.
    ...(isIP(host) ? { host } : { servername: host }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    rejectUnauthorized: tls.mode === 'verify-full' || tls.mode === 'verify-ca',
    // It checks who signed the certificate, not for which host.
    ...(tls.mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  })
  await waitFor(encrypted, 'secureConnect', host)
  return encrypted
}

/** Waits for an event, and fails if the socket fails or closes before it. Leaves no listener behind. */
function waitFor(socket: Socket, event: string, host: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onEvent = (value: unknown) => settle(() => resolve(value))
    const onError = (error: Error) => settle(() => reject(error))
    const onClose = () => settle(() => reject(lostError(host)))
    function settle(end: () => void): void {
      socket.off(event, onEvent).off('error', onError).off('close', onClose)
      end()
    }
    socket.on(event, onEvent).on('error', onError).on('close', onClose)
  })
}

/** A socket that fails with an error as soon as the driver listens: the driver loses a connection whose socket throws. */
export function failedSocket(error: Error): Socket {
  const socket = new Socket()
  setImmediate(() => socket.destroy(error))
  return socket
}

/** One error for all addresses of a name, as that of Node.js has no text. */
function errorOfAddresses({ errors, ...rest }: AggregateError): Error {
  return Object.assign(new Error(errors.map((error: Error) => error.message).join('; ')), rest)
}

function timeoutError(host: string, port: number): Error {
  return Object.assign(new Error(`no connection to ${host}:${port} in time`), { code: 'CONNECT_TIMEOUT' })
}

function lostError(host: string): Error {
  return Object.assign(new Error(`the database server at ${host} closed the connection`), {
    code: 'ECONNRESET',
  })
}
