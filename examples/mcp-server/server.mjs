// Gives an AI agent the operations of the API as tools (Model Context Protocol, over stdio).
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const { API_KEY, PLAZA_URL = 'http://127.0.0.1:8080', TAGS = 'Users,Casts,Feeds,Channels' } = process.env
const tags = TAGS.split(',')

async function request(path) {
  const response = await fetch(new URL(path, PLAZA_URL), { headers: { 'x-api-key': API_KEY ?? '' } })
  return { ok: response.ok, text: await response.text() }
}

/** JSON Schema of an operation's parameters. Its descriptions are what the agent decides by. */
function inputSchemaOf(parameters) {
  const inQuery = parameters.filter((parameter) => parameter.in !== 'header')
  return {
    type: 'object',
    properties: Object.fromEntries(
      inQuery.map(({ name, description, schema }) => [name, { ...schema, description }]),
    ),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** Operations that only read, of the chosen tags. An agent without a signer should not act for anybody. */
function toolsOf(document) {
  const tools = new Map()
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (get === undefined || get.deprecated || !get.tags?.some((tag) => tags.includes(tag))) continue
    const parameters = get.parameters ?? []
    tools.set(get.operationId, {
      path,
      parameters,
      listed: {
        name: get.operationId,
        description: `${get.summary}. ${get.description ?? ''}`.trim(),
        inputSchema: inputSchemaOf(parameters),
        annotations: { readOnlyHint: true },
      },
    })
  }
  return tools
}

/** Calls an operation: arguments become the query, or parts of the path. */
async function call({ path, parameters }, given) {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: where } of parameters) {
    if (given[name] === undefined) continue
    if (where === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(given[name]))
    if (where === 'query') query.set(name, [given[name]].flat().join(','))
  }
  return request(`${filled}?${query}`)
}

const description = await request('/openapi.json')
if (!description.ok) throw new Error(description.text)
const tools = toolsOf(JSON.parse(description.text))

const server = new Server({ name: 'plaza', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [...tools.values()].map(({ listed }) => listed),
}))
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const tool = tools.get(params.name)
  if (tool === undefined)
    return { isError: true, content: [{ type: 'text', text: `no tool ${params.name}` }] }
  const { ok, text } = await call(tool, params.arguments ?? {})
  // Errors say which argument is wrong and what is allowed, so that the agent can correct itself.
  return { isError: !ok, content: [{ type: 'text', text }] }
})
await server.connect(new StdioServerTransport())
// Standard output is the protocol's.
console.error(`${tools.size} tools of ${PLAZA_URL}`)
