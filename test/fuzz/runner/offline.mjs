// Preloaded into the server under test: it can look up no name, so nothing that a request names is reached outside this
// machine. Addresses of other machines are refused by the server itself, which the run checks as well.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const isLocal = (host) => /^(localhost|127\.|::1$|\[::1\]$|::ffff:127\.|0\.0\.0\.0$)/i.test(host)

function notFound(host) {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
    code: 'ENOTFOUND',
    syscall: 'getaddrinfo',
    hostname: host,
  })
}

const { lookup } = dns
dns.lookup = (host, options, callback) => {
  const done = typeof options === 'function' ? options : callback
  if (isLocal(host) || net.isIP(host)) lookup(host, options, callback)
  else process.nextTick(done, notFound(host))
}
const { lookup: lookupPromise } = dns.promises
dns.promises.lookup = async (host, options) => {
  if (isLocal(host) || net.isIP(host)) return await lookupPromise(host, options)
  throw notFound(host)
}

const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given
  const host =
    typeof options === 'object' ? options.host : typeof given[1] === 'string' ? given[1] : undefined
  if (host !== undefined && net.isIP(host) && !isLocal(host)) {
    process.stderr.write(`Uncaught: a connection to ${host} was about to leave this machine\n`)
  }
  return connect.apply(this, given)
}
syncBuiltinESMExports()
