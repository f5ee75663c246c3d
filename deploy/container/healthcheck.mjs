// The health check of the image: succeeds when the server in this container can serve requests.
import { get } from 'node:http'

const request = get(
  { host: '127.0.0.1', port: process.env.PORT, path: '/readyz', timeout: 4_000 },
  (reply) => {
    reply.resume()
    process.exitCode = reply.statusCode === 200 ? 0 : 1
  },
)
request.on('timeout', () => request.destroy(new Error('no answer within 4 seconds')))
request.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
