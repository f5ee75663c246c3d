import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { APP_HEADER } from '../../src/api/admin/admin-as-app.js'
import { readConfig } from '../../src/app/config/config.js'

const guide = readFileSync('docs/operate.md', 'utf8')
const PRIVATE_PATHS = ['/metrics', '/admin', '/console']

function blockAfter(title: RegExp): string {
  return new RegExp(`${title.source}[^\`]*\`{3}\\w*\\n(.*?)\\n\`{3}`, 's').exec(guide)?.[1] ?? ''
}

it('the nginx of the guide refuses what is for operators, and drops the header with which admins act as apps', () => {
  const nginx = blockAfter(/\nnginx:/)
  for (const path of PRIVATE_PATHS) expect(nginx).toContain(`location ${path} { deny all; }`)
  expect(nginx.toLowerCase()).toContain(`proxy_set_header ${APP_HEADER} "";`)
  // A location with a header of its own would inherit none.
  expect(nginx).not.toMatch(/location[^}]*proxy_set_header/)
})

it('the nginx of the guide keeps the subscriptions of a quiet hub over gRPC', () => {
  const [block = ''] = /location \/ \{\n +grpc_pass .*?\n\}/s.exec(guide) ?? []
  expect(block).toContain('grpc_set_header X-Forwarded-For $remote_addr;')
  for (const limit of ['grpc_read_timeout', 'grpc_send_timeout', 'client_body_timeout']) {
    expect(block).toContain(`${limit} 1h;`)
  }
})

it('the nginx of the guide takes the largest body of the hub by each of its names', () => {
  const blocks = guide.match(/^server \{$.*?^\}$/gms) ?? []
  expect(blocks).toHaveLength(2)
  const read = readConfig({})
  if ('problems' in read) throw new Error(read.problems)
  for (const block of blocks) {
    expect(block).toContain('listen 443 ssl http2;')
    const [, megabytes] = /client_max_body_size (\d+)m;/.exec(block) ?? []
    expect(Number(megabytes) * 1024 * 1024).toBeGreaterThan(read.config.hubBodyLimit)
  }
})

it('the Caddy of the guide refuses what is for operators, and drops the header with which admins act as apps', () => {
  const caddy = blockAfter(/\nCaddy, /)
  const [, paths = ''] = /@private path (.*)/.exec(caddy) ?? []
  expect(paths.split(' ')).toEqual(PRIVATE_PATHS.flatMap((path) => [path, `${path}/*`]))
  expect(caddy).toContain('respond @private 404')
  expect(caddy.toLowerCase()).toContain(`header_up -${APP_HEADER}`)
})

it('the HAProxy of Compose refuses metrics, and has the other two paths and the header to turn on', () => {
  const haproxy = readFileSync('deploy/compose/haproxy.cfg', 'utf8')
  expect(haproxy).toMatch(/^ {2}http-request deny if \{ path,url_dec -m beg \/metrics \}$/m)
  const [, published = ''] = haproxy.split('Before you publish it')
  expect(published).toContain('# http-request deny if { path,url_dec -m beg /admin /console }')
  expect(published.toLowerCase()).toContain(`# http-request del-header ${APP_HEADER}`)
  expect(readFileSync('docs/deploy.md', 'utf8')).toContain('`Before you publish it`')
})
