// A bot that answers casts which mention it. Plaza tells it of them by a webhook.
import { createServer } from 'node:http'
import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'
import { Webhook } from 'standardwebhooks'

const { API_KEY, PLAZA_URL = 'http://127.0.0.1:8080', PORT = '3000', SIGNER_UUID } = process.env
const client = new NeynarAPIClient(new Configuration({ apiKey: API_KEY, basePath: PLAZA_URL }))

/** Reads the body as bytes: the signature is of these, not of parsed JSON. */
async function rawBody(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function reply({ hash, author, text }, deliveryId) {
  await client.publishCast({
    signerUuid: SIGNER_UUID,
    parent: hash,
    text: `@${author.username} you wrote ${text.split(/\s+/).length} words`,
    // A delivery may come twice. The same key makes the second cast the first one.
    idem: deliveryId,
  })
  console.log(`replied to ${hash}`)
}

/** The webhook of this bot that the app has already. */
async function findWebhook(url) {
  const { webhooks } = await client.fetchWebhooks()
  return webhooks.find(
    ({ target_url, subscription }) =>
      target_url === url && subscription?.filters['cast.created']?.mentioned_fids?.includes(me.fid),
  )
}

let webhook
const server = createServer(async (request, response) => {
  const body = await rawBody(request)
  let event
  try {
    event = new Webhook(webhook.secrets[0].value).verify(body, request.headers)
  } catch {
    console.log('refused a request without a valid signature')
    return response.writeHead(401).end()
  }
  try {
    if (event.type === 'cast.created' && event.data.author.fid !== me.fid)
      await reply(event.data, event.delivery_id)
    response.writeHead(204).end()
  } catch (error) {
    // Anything but 2xx: Plaza sends it again later.
    console.error(error.response?.data ?? error)
    response.writeHead(500).end()
  }
})

const me = await client.lookupSigner({ signerUuid: SIGNER_UUID })
if (me.status !== 'approved') throw new Error(`the signer is ${me.status}: nobody can cast with it yet`)

server.listen(Number(PORT), '127.0.0.1', async () => {
  const { BOT_URL = `http://127.0.0.1:${server.address().port}` } = process.env
  const subscription = { 'cast.created': { mentioned_fids: [me.fid] } }
  const publish = () => client.publishWebhook({ name: 'reply bot', url: BOT_URL, subscription })
  try {
    ;({ webhook } = await publish())
  } catch (error) {
    // A run that was killed has left its webhook.
    if (error.response?.status !== 409) throw error
    webhook = await findWebhook(BOT_URL)
    // Nobody answered for so long that Plaza has switched it off.
    if (!webhook.active) {
      await client.deleteWebhook({ webhookId: webhook.webhook_id })
      ;({ webhook } = await publish())
    }
  }
  console.log(`reply bot of fid ${me.fid} on ${BOT_URL}`)
})

/** The webhook belongs to this run. A bot that stays would keep its id and secret instead. */
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await client.deleteWebhook({ webhookId: webhook.webhook_id })
    process.exit()
  })
