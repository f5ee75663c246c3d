// A web page that reads the feed of a user. The API key stays on this server.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'

const { API_KEY, PLAZA_URL = 'http://127.0.0.1:8080', PORT = '3000' } = process.env
const client = new NeynarAPIClient(new Configuration({ apiKey: API_KEY, basePath: PLAZA_URL }))

const files = {
  '/': ['text/html; charset=utf-8', 'page.html'],
  '/page.mjs': ['text/javascript; charset=utf-8', 'page.mjs'],
}

/** The page needs six members of a cast. */
function castOf({ hash, author, text, timestamp, reactions, replies }) {
  return {
    hash,
    text,
    timestamp,
    author: { username: author.username, name: author.display_name, picture: author.pfp_url },
    likes: reactions.likes_count,
    replies: replies.count,
  }
}

async function readFeed(query) {
  const { user } = await client.lookupUserByUsername({ username: query.get('username') ?? '' })
  const { casts, next } = await client.fetchUserFollowingFeed({
    fid: user.fid,
    limit: 20,
    ...(query.get('cursor') && { cursor: query.get('cursor') }),
  })
  return { casts: casts.map(castOf), cursor: next.cursor }
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const send = (status, type, body) => response.writeHead(status, { 'content-type': type }).end(body)
  if (pathname in files) {
    const [type, file] = files[pathname]
    return send(200, type, readFileSync(new URL(file, import.meta.url)))
  }
  if (pathname !== '/feed') return send(404, 'text/plain', 'not found')
  try {
    send(200, 'application/json', JSON.stringify(await readFeed(searchParams)))
  } catch (error) {
    // An error of the API has its status, and a message for people.
    const { status = 502, data } = error.response ?? {}
    send(status, 'application/json', JSON.stringify({ message: data?.message ?? error.message }))
  }
})
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`feed reader on http://127.0.0.1:${server.address().port}`)
})
