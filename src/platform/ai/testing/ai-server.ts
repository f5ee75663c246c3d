import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Database } from '../../db/connection.js'
import { silentLog } from '../../log/log.js'
import { createNetClient } from '../../outbound/net-client.js'
import { serveHttp } from '../../outbound/testing/loopback-server.js'
import { type AiClient, type AiClientOptions, createAiClient } from '../ai-client.js'

/** A request that the endpoint got. */
export interface AiServerRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly input?: readonly string[]
    readonly messages?: readonly { readonly role: string; readonly content: string }[]
  }
}

/** An endpoint on loopback that speaks the protocol of the OpenAI API, and its client. */
export interface AiServer {
  /** For `AI_BASE_URL`. */
  readonly baseUrl: string
  readonly client: AiClient
  readonly requests: AiServerRequest[]
  /** Answers in place of the models below; settable. */
  answer: ((request: AiServerRequest, res: ServerResponse, req: IncomingMessage) => void) | null
  /** Answers as the chat model. */
  chat: (content: string) => string
}

/** Words of one meaning: a dimension of the vectors each. */
const meanings = [
  'soil earth dirt ground',
  'cake bread bakery',
  'rocket orbit launch',
  'song melody tune',
].map((words) => words.split(' '))

/** The vector of a text: which meanings it has, with the other dimensions below zero. */
function vectorOfText(text: string): number[] {
  const words = text.toLowerCase().split(/\W+/)
  return meanings.flatMap((meaning) => {
    const count = words.filter((word) => meaning.includes(word)).length
    return count > 0 ? [count, 0.5] : [-0.1, -0.2]
  })
}

/** Serves the endpoint until the test, or the file that calls it at its top level, ends. */
export async function serveAi(db: Database, options: Partial<AiClientOptions> = {}): Promise<AiServer> {
  const requests: AiServerRequest[] = []
  const { port } = await serveHttp((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const request = {
        path: req.url!,
        authorization: req.headers.authorization,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      }
      requests.push(request)
      if (server.answer) server.answer(request, res, req)
      else sendJson(res, answerOf(request))
    })
  })
  function answerOf({ path, body }: AiServerRequest): unknown {
    if (path === '/v1/embeddings') {
      const data = body.input!.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: vectorOfText(text),
      }))
      // The protocol does not promise their order.
      return { object: 'list', data: data.toReversed(), model: body.model }
    }
    const content = server.chat(body.messages!.at(-1)!.content)
    return { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }
  }
  const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
  onTestFinished(net.close)
  const baseUrl = `http://127.0.0.1:${port}/v1`
  const client = createAiClient({
    baseUrl,
    apiKey: 'sk-test',
    chatModel: 'chatty',
    embeddingModel: 'meaningful',
    dailyLimit: 1_000,
    timeoutMs: 10_000,
    net,
    db,
    log: silentLog,
    clock: () => 1_793_491_200_000,
    ...options,
  })
  const server: AiServer = { baseUrl, client, requests, answer: null, chat: () => 'A summary.' }
  return server
}

/** Sends JSON with status 200. */
export function sendJson(res: ServerResponse, value: unknown): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
