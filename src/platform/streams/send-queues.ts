import { readFile } from 'node:fs/promises'
import { isIPv6, type Socket } from 'node:net'
import { endianness } from 'node:os'
import { groupsOf, mappedAddress } from '../text/ip-address.js'

/** The connections of this network namespace (proc(5)); there are none on other systems than Linux. */
const FILES = ['/proc/net/tcp', '/proc/net/tcp6']
const ESTABLISHED = '01'
/** Line, local address and port, remote address and port, state, and the length of the send queue. */
const line = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) ([0-9A-F]{8}):/gm
const MAPPED_PREFIX = '0000000000000000FFFF0000'

/** Bytes that the kernel holds for a connection because its other side has not acknowledged them; null if unknown. */
export type SendQueueOf = (
  socket: Pick<Socket, 'localPort' | 'remoteAddress' | 'remotePort'>,
) => number | null

/** Reads the send queues of all connections. Node.js has no TCP_INFO; the kernel lists what is needed. */
export async function readSendQueues(): Promise<SendQueueOf> {
  const queues = new Map<string, number>()
  for (const file of FILES) {
    const text = await readFile(file, 'utf8').catch(() => '')
    for (const [, localPort, remote = '', remotePort, state, queue = ''] of text.matchAll(line)) {
      if (state !== ESTABLISHED) continue
      const address = remote.startsWith(MAPPED_PREFIX) ? remote.slice(MAPPED_PREFIX.length) : remote
      queues.set(`${localPort} ${address} ${remotePort}`, Number.parseInt(queue, 16))
    }
  }
  return ({ localPort = 0, remoteAddress, remotePort = 0 }) => {
    if (remoteAddress === undefined) return null
    return queues.get(`${portHex(localPort)} ${addressHex(remoteAddress)} ${portHex(remotePort)}`) ?? null
  }
}

function portHex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}

/** As the kernel prints it: words of 32 bits in the byte order of the machine. */
function addressHex(address: string): string {
  const plain = mappedAddress(address)
  const bytes = isIPv6(plain)
    ? Buffer.from(
        groupsOf(plain)
          .map((group) => group.padStart(4, '0'))
          .join(''),
        'hex',
      )
    : Buffer.from(plain.split('.').map(Number))
  return (endianness() === 'LE' ? bytes.swap32() : bytes).toString('hex').toUpperCase()
}
